import { type SourceFiles } from './source-files';
import { type ReleaseLabel } from './release';

/** Somewhere the official files can be had. */
export interface DataSource {
  /** what a release from here is labelled */
  readonly label: ReleaseLabel;
  /** for messages: a folder or an address */
  readonly location: string;
  /** @throws SourceError when a file is missing, cannot be reached in time, or is too long */
  fetch(options?: FetchOptions): Promise<SourceFiles>;
}

export interface FetchOptions {
  readonly onProgress?: (step: string) => void;
  readonly signal?: AbortSignal;
}

/** Lies beside the files of a sample, so that it is called one wherever it is copied. */
export const SAMPLE_MARKER = 'sample.json';

/** Paths of the official layout; income in the order in which the forms are tried. */
export const LAYOUT = {
  birthNames: 'ssa/names.zip',
  lifeTables: 'ssa/lifetables',
  surnames2000: 'census/surnames/2000/names.zip',
  surnames2010: 'census/surnames/2010/names.zip',
  income: ['census/saipe/est18all.txt', 'census/saipe/est18all.xls', 'census/saipe/est18all.csv'],
  counties: 'census/geo/national_county.txt',
} as const;
