import { readFileSync } from 'node:fs';
import { parse } from 'csv-parse/sync';
import { type Address } from './address';
import { type Spot } from './spot';

export type RecordedOutcome =
  | { readonly outcome: 'NO_MATCH' }
  | { readonly outcome: 'TIE' }
  | ({ readonly outcome: 'MATCH'; readonly isExact: boolean } & Pick<Spot, 'matchedAddress'> & Partial<Spot>);

/** The answers of a recorded batch, by their input. */
export class RecordedAnswers {
  private readonly answers = new Map<string, RecordedOutcome>();

  /** @param path - answers of the batch service: 8 or 12 fields for a match, 3 for other outcomes */
  constructor(path: string) {
    const rows: string[][] = parse(readFileSync(path, 'latin1'), { relax_column_count: true, skip_empty_lines: true });
    for (const [, input = '', ...answer] of rows) this.answers.set(keyOf(input), outcomeOf(answer));
  }

  find({ street, city, state, zip }: Address): RecordedOutcome | undefined {
    return this.answers.get(keyOf([street, city, state, zip].join(', ')));
  }
}

/** Letters and digits only, because clients may send other commas and spaces. ZIP codes may lack leading zeros. */
const keyOf = (input: string): string =>
  input
    .replace(/, 0*(\d+)$/, ', $1')
    .replace(/[^A-Za-z0-9]+/g, '')
    .toUpperCase();

function outcomeOf(answer: readonly string[]): RecordedOutcome {
  const [outcome, exactness, matchedAddress, point, tigerLineId, side, ...codes] = answer;
  if (outcome === 'Tie') return { outcome: 'TIE' };
  if (outcome !== 'Match') return { outcome: 'NO_MATCH' };
  const [lon, lat] = point.split(',') as [string, string];
  const [state, county, tract, block] = codes;
  const geographies = state === undefined ? {} : { fips: state + county, tract: tract, block: block };
  return {
    outcome: 'MATCH',
    isExact: exactness === 'Exact',
    matchedAddress: matchedAddress,
    lon,
    lat,
    tigerLineId: tigerLineId,
    side: side === 'L' ? 'L' : 'R',
    ...geographies,
  };
}
