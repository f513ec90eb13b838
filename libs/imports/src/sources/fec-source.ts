/** A file of the FEC: a cycle's master or contributions, or the electronic filings posted on one day. */
export type FecFileName =
  | { readonly cycle: number; readonly kind: FecFileKind }
  | {
      /** yyyymmdd */
      readonly day: string;
    };

export type FecFileKind = 'cn' | 'cm' | 'ccl' | 'indiv';

export interface FecFile {
  readonly path: string;
  /** URL or path of the file, without secrets. */
  readonly source: string;
  readonly sha256: string;
  readonly bytes: number;
  /** ISO 8601, UTC */
  readonly retrievedAt: string;
}

export interface FecFileOptions {
  readonly signal?: AbortSignal;
}

/** A source of FEC files. */
export interface FecSource {
  readonly label: 'official' | 'folder' | 'sample';
  /** Folder or URL, for messages. */
  readonly location: string;
  /** @returns null if the file does not exist. @throws SourceError */
  file(name: FecFileName, options?: FecFileOptions): Promise<FecFile | null>;
  /** Cycles that may have files, in ascending order. */
  cycles(): Promise<number[]>;
}

/** Name of a file at the FEC. */
export const fileName = (name: FecFileName): string =>
  'day' in name ? `${name.day}.zip` : `${name.kind}${String(name.cycle % 100).padStart(2, '0')}.zip`;

export const pathInLayout = (name: FecFileName): string =>
  'day' in name ? `fec/efiling/${fileName(name)}` : `fec/${name.cycle}/${fileName(name)}`;

/** Message that contributions of a cycle are missing, with the next step. */
export const missingContributions = (
  { label, location }: Pick<FecSource, 'label' | 'location'>,
  cycle: number,
): string =>
  label === 'official'
    ? `the FEC has published no contributions of ${cycle} yet`
    : `${location} has no ${pathInLayout({ cycle, kind: 'indiv' })}: add the file, or load another with ` +
      `bin/donorlens import fec --cycle ${cycle} --contributions FILE`;

/** Maximum size of a file of this kind: several times the largest published one. */
export const maxBytes = (name: FecFileName): number =>
  'day' in name || name.kind === 'indiv' ? 16 * 2 ** 30 : 64 * 2 ** 20;
