import { type SourceLabel } from '../engine/stored-import';
import { type ImportContext } from '../import-context';
import { type ImportReport } from '../import-report';

/** A file of individual contributions: the publisher's zip, or its text as it is or gzipped. */
export interface ContributionsFile {
  readonly cycle: number;
  /** Where it lies. */
  readonly file: string;
  /** How it is called: its address or name. */
  readonly source: string;
  readonly label: SourceLabel;
  /** Of the file as published, in hex. */
  readonly sha256: string;
  /** Also where this very file was imported before. */
  readonly again?: boolean;
  /** Also removes what it does not hold any more where that is suspiciously much. */
  readonly removeMissing?: boolean;
}

export function importContributions(context: ImportContext, request: ContributionsFile): Promise<ImportReport> {
  void context;
  return Promise.reject(new Error(request.source));
}
