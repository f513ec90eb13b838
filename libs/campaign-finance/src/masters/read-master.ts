import { DomainError } from '@donorlens/primitives';
import { asUtf8 } from '@donorlens/tabular';
import { type MasterRow } from './master-columns';

export const MASTER_FAULTS = [
  'wrong_column_count',
  'control_character',
  'bad_candidate_id',
  'bad_committee_id',
  'other_cycle',
] as const;
export type MasterFault = (typeof MASTER_FAULTS)[number];

/** Line counts of a file. Lines of other offices count in `lines` only. */
export interface MasterReport {
  readonly lines: number;
  readonly kept: number;
  readonly duplicates: number;
  readonly rejected: Readonly<Partial<Record<MasterFault, number>>>;
}

/** Maximum share of invalid lines. Above it, the whole file is rejected. */
const MAX_FAULTY = 0.01;
const LF = 10;
const CONTROL = /[\x00-\x1f\x7f]/;

/** Outcome of one line; `passed`: the line belongs to another office. */
export type Verdict = MasterFault | 'kept' | 'passed' | 'duplicate';

/**
 * Reads a pipe-separated file without header or quoting: a quotation mark is an ordinary character.
 * Each line is decoded as UTF-8 if its bytes are valid UTF-8, else as Windows-1252.
 * @param judge - decides the outcome of a row; its values have no trailing blanks
 * @param check - checks the counts of the whole file, before the share of invalid lines is checked
 * @throws MasterFileError
 */
export function readMaster<const Columns extends readonly string[]>(
  file: string,
  bytes: Buffer,
  columns: Columns,
  judge: (row: MasterRow<Columns>) => Verdict,
  check: (report: MasterReport) => void = () => undefined,
): MasterReport {
  const counts = new Map<Verdict, number>();
  let lines = 0;
  for (const line of linesOf(bytes)) {
    lines++;
    const verdict = CONTROL.test(line) ? 'control_character' : judged(line, columns, judge);
    counts.set(verdict, (counts.get(verdict) ?? 0) + 1);
  }
  const rejected = Object.fromEntries(
    MASTER_FAULTS.filter((fault) => counts.has(fault)).map((fault) => [fault, counts.get(fault)]),
  );
  const report = { lines, kept: counts.get('kept') ?? 0, duplicates: counts.get('duplicate') ?? 0, rejected };
  check(report);
  refuseUnlikely(file, report);
  return report;
}

function judged<Columns extends readonly string[]>(
  line: string,
  columns: Columns,
  judge: (row: MasterRow<Columns>) => Verdict,
): Verdict {
  const cells = line.split('|');
  if (cells.length !== columns.length) return 'wrong_column_count';
  return judge(Object.fromEntries(columns.map((name, at) => [name, cells[at].trimEnd()])) as MasterRow<Columns>);
}

function* linesOf(bytes: Buffer): Generator<string> {
  for (let at = 0; at < bytes.length;) {
    const lf = bytes.indexOf(LF, at);
    const end = lf < 0 ? bytes.length : lf;
    const line = bytes.subarray(at, end);
    const text = asUtf8(line).toString('utf8');
    yield text.endsWith('\r') ? text.slice(0, -1) : text;
    at = end + 1;
  }
}

function refuseUnlikely(file: string, { lines, kept, rejected }: MasterReport): void {
  const faulty = Object.values(rejected).reduce((sum, count) => sum + count, 0);
  if (faulty > lines * MAX_FAULTY) {
    const faults = Object.entries(rejected).map(([fault, count]) => `${count} ${fault}`);
    throw new MasterFileError(file, `${faulty} of ${lines} lines are faulty (${faults.join(', ')})`);
  }
  if (kept === 0) throw new MasterFileError(file, `has no row of the offices to import in ${lines} lines`);
}

/** The whole file is rejected: it is not a valid master file of its kind, cycle or offices. */
export class MasterFileError extends DomainError {
  readonly code = 'master_file';

  constructor(
    readonly file: string,
    what: string,
  ) {
    super(`${file}: ${what}`, { file });
  }
}
