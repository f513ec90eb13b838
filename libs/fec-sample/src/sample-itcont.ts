import { itcontLine } from './itcont-row';
import { Random, seedOf } from './random';
import { CAMPAIGN_COMMITTEES, JOINT_FUNDRAISER } from './sample-committees';
import { SampleRows } from './sample-rows';

export interface SampleItcont {
  /** Lines, those that cannot be read among them. */
  readonly rows: number;
  readonly cycle: number;
  readonly seed?: number;
  /** Leave out what no presidential committee filed. */
  readonly presidentialOnly?: boolean;
}

/** Letters to a piece. */
const PIECE = 64 * 1024;
const ROWS_PER_DONOR = 3;
/** One of so many lines is unreadable, and one is repeated. */
const LINES_PER_FAULT = 2500;
const SPOILT = 1000;
const REPEATED = 2000;
const PRESIDENTIAL: ReadonlySet<string> = new Set([...CAMPAIGN_COMMITTEES, JOINT_FUNDRAISER].map(({ id }) => id));

/**
 * The text of a synthetic `itcont` file of any size, Latin-1, in pieces; memory does not grow with it.
 * The same options give the same bytes.
 */
export function* sampleItcont({ rows, cycle, seed = 1, presidentialOnly = false }: SampleItcont): Generator<Buffer> {
  const random = new Random(seedOf(seed, cycle));
  const gifts = new SampleRows(cycle, seed, Math.ceil(rows / ROWS_PER_DONOR), random);
  let text = '';
  let line = '';
  for (let number = 0; number < rows;) {
    for (const row of gifts.next()) {
      if (number === rows) break;
      if (presidentialOnly && !PRESIDENTIAL.has(row.committeeId)) continue;
      const turn = ++number % LINES_PER_FAULT;
      if (turn !== REPEATED) line = itcontLine(row, { cycle, number, amendment: amendmentOf(random) });
      text += `${turn === SPOILT ? damagedLine(line, Math.floor(number / LINES_PER_FAULT)) : line}\n`;
    }
    if (text.length < PIECE) continue;
    yield Buffer.from(text, 'latin1');
    text = '';
  }
  yield Buffer.from(text, 'latin1');
}

const amendmentOf = (random: Random): string => (random.isDrawn(0.08) ? 'A' : random.isDrawn(0.005) ? 'T' : 'N');

const SPOILS: readonly ((line: string) => string)[] = [
  (line) => line.replace('|', '||'),
  (line) => line.slice(0, 90),
  (line) => line.replace(', ', ',\t'),
  (line) => line.replace(/\|\d+$/, '|'),
  (line) => `${line.slice(0, line.lastIndexOf('|'))}${'X'.repeat(4200)}${line.slice(line.lastIndexOf('|'))}`,
  (line) => line.replace(/(\|\d{8}\|)([\d.]+)/, '$11e3'),
  () => '',
];

const damagedLine = (line: string, turn: number): string => SPOILS[turn % SPOILS.length](line);
