import { type AgeEstimator } from '@donorlens/demographics';
import { type CivilDay, parseCivilDay } from '@donorlens/primitives';
import { type Release } from '@donorlens/reference-data';
import { checkShape } from '../http/json-body';
import { ITEMS_A_TURN, nextTurn } from '../http/turns';
import { bulkAnswer } from './bulk-answer';
import { AROUND_QUERY } from './queries';
import { QueryScanner } from './query-scanner';
import { MOST_ID, MOST_NAME } from './wire-schemas';

interface AgeGenderQuery {
  readonly date: string;
  readonly name: string;
  readonly id?: string;
}

/** JSON of every possible answer without its closing brace, by age + 1 and gender: a bulk answer is these put together. */
const ANSWERS = ['"m"', '"f"', 'null'].map((gender) =>
  Array.from({ length: 201 }, (_, at) => `{"age":${at === 0 ? 'null' : at - 1},"gender":${gender}`),
);

const answerOf = (ages: AgeEstimator, name: number, on: CivilDay, minAge: number): string => {
  const gender = ages.genderOf(name, on);
  return ANSWERS[gender === 'm' ? 0 : gender === 'f' ? 1 : 2][ages.ageAt(name, on, minAge) + 1];
};

/** The query, or undefined where something is wrong with it; the schema then says what. One pass, nothing allocated. */
function checked(query: unknown): AgeGenderQuery | undefined {
  if (typeof query !== 'object' || query === null) return undefined;
  const { date, name, id } = query as Record<string, unknown>;
  if (typeof date !== 'string' || typeof name !== 'string' || name.length > MOST_NAME) return undefined;
  if (id !== undefined && (typeof id !== 'string' || id.length > MOST_ID)) return undefined;
  for (const key in query) if (key !== 'date' && key !== 'name' && key !== 'id') checkShape(query, AROUND_QUERY);
  return query as AgeGenderQuery;
}

/** The answer to a bulk body, in the order of the queries; undefined where a query is not valid. */
export function ageGenderResults(
  queries: readonly unknown[],
  release: Release,
  minAge = 0,
): Promise<string | Buffer | undefined> {
  const { ages } = release.demographics;
  return bulkAnswer(queries.length, (at) => {
    const query = checked(queries[at]);
    const on = query === undefined ? NaN : parseCivilDay(query.date);
    if (query === undefined || Number.isNaN(on)) return undefined;
    const id = query.id === undefined ? '}' : `,"id":${JSON.stringify(query.id)}}`;
    return answerOf(ages, ages.nameIndex(query.name), on, minAge) + id;
  });
}

/**
 * The same, straight from the text of a body of the usual shape; undefined where it has another one, is not valid or
 * holds more queries than `most`: then it has to be looked at in full.
 */
export async function usualResults(
  body: string,
  release: Release,
  most: number,
  minAge: number,
): Promise<string | Buffer | undefined> {
  const results = new UsualResults(new QueryScanner(body), release.demographics.ages, most, minAge);
  while (results.goOn()) await nextTurn();
  return results.answer;
}

class UsualResults {
  /** Undefined until all is read, and where it is not to be read so. */
  answer: string | Buffer | undefined;
  private readonly parts: Buffer[] = [];
  private count = 0;

  constructor(
    private readonly scanner: QueryScanner,
    private readonly ages: AgeEstimator,
    private readonly most: number,
    private readonly minAge: number,
  ) {}

  /** Answers as many queries as a turn has time for; false when there is nothing more to do. */
  goOn(): boolean {
    const { scanner, ages, most, minAge } = this;
    if (this.count === 0 && !scanner.open()) return false;
    const until = this.count + ITEMS_A_TURN;
    let { count } = this;
    let text = count === 0 ? '{"results":[' : '';
    for (; count < until && scanner.next(); count++) {
      const on = parseCivilDay(scanner.date);
      if (Number.isNaN(on) || scanner.name.length > MOST_NAME || count === most) return false;
      if (count > 0) text += ',';
      text += answerOf(ages, ages.nameIndex(scanner.name), on, minAge);
      text += '}';
    }
    if (count > 0 && scanner.atEnd()) {
      text += ']}';
      this.answer = this.parts.length === 0 ? text : Buffer.concat([...this.parts, Buffer.from(text)]);
      return false;
    }
    if (count < until) return false;
    this.parts.push(Buffer.from(text)); // a text that waits is kept in the pieces it was put together of
    this.count = count;
    return true;
  }
}

export interface AgeGenderDetail {
  readonly gender_probability: number | null;
  readonly sample_size: number;
  readonly age_q25: number | null;
  readonly age_q75: number | null;
  readonly data_release: string;
}

/** What `?detail=true` adds to a result. */
export function ageGenderDetail(release: Release, name: number, on: CivilDay, minAge: number): AgeGenderDetail {
  const known = name < 0 ? undefined : release.demographics.ages.distribution(name, on, minAge);
  const probability = known?.genderProbability ?? null;
  return {
    gender_probability: probability === null ? null : Math.round(probability * 1e6) / 1e6,
    sample_size: known ? known.bornM + known.bornF : 0,
    age_q25: known?.q25 ?? null,
    age_q75: known?.q75 ?? null,
    data_release: release.id,
  };
}

/** As `ageGenderResults`, each result with its detail. */
export function detailedAgeGenderResults(
  queries: readonly unknown[],
  release: Release,
  minAge = 0,
): Promise<string | Buffer | undefined> {
  const { ages } = release.demographics;
  return bulkAnswer(queries.length, (at) => {
    const query = checked(queries[at]);
    const on = query === undefined ? NaN : parseCivilDay(query.date);
    if (query === undefined || Number.isNaN(on)) return undefined;
    const name = ages.nameIndex(query.name);
    const age = ages.ageAt(name, on, minAge);
    return JSON.stringify({
      age: age < 0 ? null : age,
      gender: ages.genderOf(name, on),
      ...(query.id !== undefined && { id: query.id }),
      ...ageGenderDetail(release, name, on, minAge),
    });
  });
}
