import { createHash } from 'node:crypto';
import { FIRST_CYCLE, type FecOffice, LAST_CYCLE, cycleOfYear, yearOf } from '@donorlens/primitives';
import { type FilingFile } from './filing-files';
import { type FilingFacts } from './filing-report';
import { type NewFiling } from './filing.repository';
import { substituteNumber } from './parser/filing-values';
import { FilingError, type FilingSummary } from './parser/filing';
import { formKind } from './parser/filing-cover';
import { RecordMaker } from './parser/import-record';
import { readFiling } from './parser/read-filing';
import { type FormKind } from './parser/version-maps';

/** A filing that was read to its end: it is complete, has a known version and is of an imported committee or form. */
export interface CheckedFiling {
  readonly summary: FilingSummary;
  /** SHA-256 of the file, in hex. */
  readonly sha256: string;
  /** Value of FILE_NUM; '' if unknown. */
  readonly fileNumber: string;
  readonly filing: NewFiling;
  /** Cycle of its coverage period. */
  readonly cycle: number;
  /** Number of rows to import. */
  readonly rows: number;
}

/** Committees whose contributions are imported. */
export interface FilingScope {
  readonly offices: readonly FecOffice[];
  /** Committees that are linked to a candidate for one of these offices. */
  readonly committees: ReadonlySet<string>;
  /** Committees of candidates for Senate and House only. */
  readonly congressional: ReadonlySet<string>;
}

/**
 * Reads a filing once without storing anything, so that nothing of a truncated filing is stored.
 * @returns the checked filing, or a message that says why it is not imported
 * @throws FilingError, ImportError `damaged_file`
 */
export async function checkFiling(
  file: FilingFile,
  scope: FilingScope,
  signal: AbortSignal,
): Promise<CheckedFiling | string> {
  const sha256 = createHash('sha256');
  let maker: RecordMaker | undefined;
  let found = 0;
  let rows = 0;
  const summary = await readFiling(hashed(file.pieces(), sha256), {
    isRead: (form, filer) => isInScope(form, filer, scope),
    cover: (cover) => (maker = new RecordMaker(cover, '', scope.committees)),
    item: (item, place) => {
      const made = maker?.recordOf(item, place);
      if (made) found++;
      if (made && 'record' in made) rows++;
    },
    pieceRead: () => signal.throwIfAborted(),
  });
  const { cover } = summary;
  if (!summary.isRead) return `form ${printable(cover.form)} holds no gifts to committees of an imported office`;
  if (found === 0 && formKind(cover.form) === 'F3X') return 'no gift in it is for a committee of an imported office';
  const digest = sha256.digest();
  return {
    summary,
    sha256: digest.toString('hex'),
    fileNumber: file.fileNum ?? '',
    filing: newFiling(summary, file.fileNum ?? substituteNumber(digest)),
    cycle: cycleOfPeriod(summary),
    rows,
  };
}

/** Form F3P of any committee is read: a new campaign files before the committee master has it. */
function isInScope(form: FormKind, filer: string, { offices, congressional }: FilingScope): boolean {
  if (form === 'F3X') return true;
  return form === 'F3P' ? offices.includes('P') : congressional.has(filer);
}

async function* hashed(
  pieces: AsyncIterable<Buffer>,
  hash: { update(piece: Buffer): unknown },
): AsyncGenerator<Buffer> {
  for await (const piece of pieces) {
    hash.update(piece);
    yield piece;
  }
}

/** Facts of a parsed filing for its report. */
export const factsOf = (
  { filing, summary: { cover, lineCounts, reconciliation }, cycle }: CheckedFiling,
  isLinked: boolean,
): FilingFacts => ({
  fileNumber: filing.fileNum,
  form: cover.form,
  version: filing.version,
  reportCode: cover.reportCode,
  committeeId: cover.filer,
  committeeName: cover.filerName,
  cycle,
  ...(formKind(cover.form) !== 'F3X' && { isLinked }),
  lines: lineCounts,
  reconciliation,
});

const newFiling = ({ header, cover }: FilingSummary, fileNum: string): NewFiling => ({
  fileNum,
  committeeId: cover.filer,
  form: cover.form,
  version: header.version,
  amends: header.amends,
  amendment: header.amendment > 0 || !cover.form.endsWith('A') ? header.amendment : 1,
  reportCode: cover.reportCode,
  coverageFrom: cover.coverageFrom,
  coverageTo: cover.coverageTo,
});

function cycleOfPeriod({ cover: { coverageTo, coverageFrom } }: FilingSummary): number {
  const day = Number.isNaN(coverageTo) ? coverageFrom : coverageTo;
  const cycle = Number.isNaN(day) ? NaN : cycleOfYear(yearOf(day));
  if (!(cycle >= FIRST_CYCLE && cycle <= LAST_CYCLE))
    throw new FilingError('filing_layout', 'its form states no valid coverage period');
  return cycle;
}

const printable = (form: string): string => form.slice(0, 12).replace(/[^\w/-]/g, '?');
