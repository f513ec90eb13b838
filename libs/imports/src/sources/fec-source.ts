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
  /** address or path it came from, without secrets */
  readonly source: string;
  readonly sha256: string;
  readonly bytes: number;
  /** ISO 8601, UTC */
  readonly retrievedAt: string;
  /** false where the source knows that it gave the same bytes before */
  readonly isNew: boolean;
}

export interface FecFileOptions {
  readonly signal?: AbortSignal;
  readonly onBytes?: (received: number, expected: number | null) => void;
}

/** Somewhere the FEC's files can be had. */
export interface FecSource {
  readonly label: 'official' | 'folder' | 'sample';
  /** for messages: a folder or an address */
  readonly location: string;
  /** @returns null where there is no such file. @throws SourceError */
  file(name: FecFileName, options?: FecFileOptions): Promise<FecFile | null>;
  /** Those of which there may be files, in rising order. */
  cycles(): Promise<number[]>;
}

/** How the publisher calls a file; within a copy of its layout, the path below fec/. */
export const fileName = (name: FecFileName): string =>
  'day' in name ? `${name.day}.zip` : `${name.kind}${String(name.cycle % 100).padStart(2, '0')}.zip`;

export const pathInLayout = (name: FecFileName): string =>
  'day' in name ? `fec/efiling/${fileName(name)}` : `fec/${name.cycle}/${fileName(name)}`;

/** Why there are no contributions of a cycle, and what to do. */
export const missingContributions = (
  { label, location }: Pick<FecSource, 'label' | 'location'>,
  cycle: number,
): string =>
  label === 'official'
    ? `the FEC has published no contributions of ${cycle} yet`
    : `${location} has no ${pathInLayout({ cycle, kind: 'indiv' })}: add the file, or load another with ` +
      `bin/donorlens import fec --cycle ${cycle} --contributions FILE`;

/** Longest file of a kind that is taken: several times the longest that was published. */
export const maxBytes = (name: FecFileName): number =>
  'day' in name || name.kind === 'indiv' ? 16 * 2 ** 30 : 64 * 2 ** 20;
