import { type Answer } from './answer';
import { type RequestedRow } from './batch-request';
import { shuffled } from './draws';
import { type FaultName } from './faults';
import { type Truth } from './truth';

export interface BatchContent {
  readonly rows: readonly RequestedRow[];
  readonly truthOf: (row: RequestedRow) => Truth;
  /** True if counties, tracts and blocks are requested. */
  readonly withGeographies: boolean;
  readonly has: (fault: FaultName) => boolean;
  readonly roll: () => number;
}

/** The answer of the batch service: one line for each row, all fields quoted, in random order, in Latin-1. */
export function batchAnswer(content: BatchContent): Answer {
  const text = textOf(content);
  return {
    status: 200,
    headers: {
      'content-type': 'text/plain',
      'content-disposition': 'attachment; filename=GeocodeResults.csv',
      'cache-control': 'private',
    },
    body: Buffer.from(text.replace(/[^\0-\u00ff]/g, '?'), 'latin1'),
  };
}

function textOf(content: BatchContent): string {
  const { has, roll } = content;
  const lines = applyRowFaults(linesOf(content), content);
  const ordered = has('input-order') ? lines : shuffled(lines, roll);
  const text = ordered.map((line) => `${line.map(quoted).join(',')}\n`).join(has('blank-lines') ? '\n' : '');
  const whole = has('blank-lines') ? `${text}\n` : text;
  // Cuts the last line after its id, so that the rest looks like the start of a row.
  return has('truncated') ? whole.slice(0, whole.trimEnd().lastIndexOf('\n') + 8) : whole;
}

const quoted = (field: string): string => `"${field.replaceAll('"', '""')}"`;

const linesOf = ({ rows, truthOf, withGeographies, has }: BatchContent): string[][] =>
  rows.map((row) => [row.id, row.asked.join(', '), ...found(truthOf(row), withGeographies, has('blank-geographies'))]);

/** The fields after the echoed input: ten or six for a match, one for other outcomes. */
function found(truth: Truth, withGeographies: boolean, areBlank: boolean): string[] {
  if (truth.outcome !== 'MATCH') return [truth.outcome === 'TIE' ? 'Tie' : 'No_Match'];
  const { isExact, matchedAddress, lon, lat, tigerLineId, side } = truth;
  const fields = ['Match', isExact ? 'Exact' : 'Non_Exact', matchedAddress, `${lon},${lat}`, tigerLineId, side];
  return withGeographies ? [...fields, ...(areBlank ? ['', '', '', ''] : codesOf(truth))] : fields;
}

const codesOf = ({ fips, tract, block }: Extract<Truth, { outcome: 'MATCH' }>): string[] => [
  fips?.slice(0, 2) ?? '',
  fips?.slice(2) ?? '',
  tract ?? '',
  block ?? '',
];

/** Applies row faults to the lines. Each fault affects some lines, at least one. */
function applyRowFaults(lines: string[][], { has, roll }: BatchContent): string[][] {
  let left = lines;
  if (has('misattributed')) left = misattributed(left);
  if (has('missing-rows')) left = left.filter((_, at) => at > 0 && roll() >= 0.1);
  const some = left.filter((_, at) => at === 0 || roll() < 0.1);
  if (has('duplicate-rows')) left = [...left, ...some];
  if (has('conflicting-rows')) left = [...left, ...some.map(contradicted)];
  if (has('unknown-ids')) left = [...left, ...lines.slice(0, 2).map(([, ...rest], at) => [`99${at}00099`, ...rest])];
  return left;
}

/** The first two of every ten lines exchange their ids. */
const misattributed = (lines: string[][]): string[][] =>
  lines.map((line, at) => {
    const other = at % 10 === 0 ? lines[at + 1] : at % 10 === 1 ? lines[at - 1] : undefined;
    return other ? [other[0], ...line.slice(1)] : line;
  });

const contradicted = ([id, input, outcome]: string[]): string[] => [
  id,
  input,
  outcome === 'No_Match' ? 'Tie' : 'No_Match',
];
