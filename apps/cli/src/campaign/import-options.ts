import { usageError } from '../exit-code';

export interface ImportOptions {
  readonly cycle?: number;
  readonly masters?: boolean;
  /** true: the source's own file; a text: a file of the caller's. */
  readonly contributions?: boolean | string;
  readonly filings?: readonly string[];
  readonly fileNumber?: string;
  readonly source?: string;
  readonly again?: boolean;
  readonly removeMissing?: boolean;
  readonly json?: boolean;
}

/** What a command is asked to import. */
export interface ImportWish {
  /** Whose masters to load; null: none. */
  readonly masters: number | null;
  readonly contributions: { readonly cycle: number; readonly file: string | null } | null;
  readonly filings: readonly string[];
}

/** Masters and contributions where nothing is named. @throws CliError where something is missing or does not fit */
export function wishOf(options: ImportOptions): ImportWish {
  const { cycle, masters = false, contributions, filings = [] } = options;
  if (options.fileNumber !== undefined && filings.length !== 1)
    throw usageError('--file-number goes with exactly one file of --filings');
  const namesAny = masters || contributions !== undefined || filings.length > 0;
  const wantsMasters = masters || !namesAny;
  const wantsContributions = contributions !== undefined || !namesAny;
  if (!wantsMasters && !wantsContributions) return { masters: null, contributions: null, filings };
  if (cycle === undefined) throw usageError('--cycle is needed: the even year of the files, as in --cycle 2016');
  const file = typeof contributions === 'string' ? contributions : null;
  return {
    masters: wantsMasters ? cycle : null,
    contributions: wantsContributions ? { cycle, file } : null,
    filings,
  };
}
