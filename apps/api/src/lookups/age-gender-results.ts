import {
  ADULT_AGE,
  type AgeAndGender,
  type AgeDistribution,
  FEMALE,
  type Gender,
  type GroupedAges,
  MALE,
  type Quartiles,
  ageAndGender,
  emptyAgeAndGender,
} from '@donorlens/demographics';
import { type CivilDay, parseCivilDay } from '@donorlens/primitives';
import { type Release } from '@donorlens/reference-data';
import { csvText } from '@donorlens/tabular';
import { checkShape } from '../http/json-body';
import { type AgeGenderDetail, MAX_ID, MAX_NAME } from '../schemas/queries';
import { QUERY_DEPTH, bulkAnswer } from './bulk-request';

interface AgeGenderQuery {
  readonly date: string;
  readonly name: string;
  readonly id?: string;
}

type BulkAnswer = Promise<string | Buffer | undefined>;
type Lookup = (name: string, on: CivilDay) => AgeAndGender;

/** Reuses one result object for all queries of a request. @param donors - ages of donors; null for all people */
function lookupIn({ demographics }: Release, minAge: number, donors: GroupedAges | null = null): Lookup {
  const options = { minAge, hasGivenNames: false };
  const result = emptyAgeAndGender();
  const lookup: Lookup = (name, on) => ageAndGender(name, on, options, demographics, result);
  if (donors === null) return lookup;
  return (name, on) => {
    lookup(name, on).ageYears = donors.ageAt(result.nameIndex, on);
    return result;
  };
}

/** JSON of every possible result without the closing brace, by gender and age + 1. */
const RESULTS = ['"m"', '"f"', 'null'].map((gender) =>
  Array.from({ length: 201 }, (_, at) => `{"age":${at === 0 ? 'null' : at - 1},"gender":${gender}`),
);

const resultText = ({ ageYears, gender }: AgeAndGender): string =>
  RESULTS[gender === 'm' ? 0 : gender === 'f' ? 1 : 2][ageYears === null ? 0 : ageYears + 1];

/** Returns the query, or undefined if it is invalid; the schema then finds the reason. Allocates nothing. */
function checked(query: unknown): AgeGenderQuery | undefined {
  if (typeof query !== 'object' || query === null) return undefined;
  const { date, name, id } = query as Record<string, unknown>;
  if (typeof date !== 'string' || typeof name !== 'string' || name.length > MAX_NAME) return undefined;
  if (id !== undefined && (typeof id !== 'string' || id.length > MAX_ID)) return undefined;
  for (const key in query) {
    if (key === 'date' || key === 'name' || key === 'id') continue;
    checkShape(query, QUERY_DEPTH);
    break;
  }
  return query as AgeGenderQuery;
}

/** Results of parsed queries in order, in the format of `textOf`; undefined if a query is invalid. */
function parsedResults(
  queries: readonly unknown[],
  textOf: (query: AgeGenderQuery, on: CivilDay) => string,
): BulkAnswer {
  return bulkAnswer(
    (at) => at === queries.length,
    (at) => {
      const query = checked(queries[at]);
      const on = query === undefined ? NaN : parseCivilDay(query.date);
      return query === undefined || Number.isNaN(on) ? undefined : textOf(query, on);
    },
  );
}

/** Results of parsed queries in order; undefined if a query is invalid. */
export function ageGenderResults(
  queries: readonly unknown[],
  release: Release,
  minAge = 0,
  donors: GroupedAges | null = null,
): BulkAnswer {
  const lookup = lookupIn(release, minAge, donors);
  return parsedResults(queries, ({ name, id }, on) => {
    const end = id === undefined ? '}' : `,"id":${JSON.stringify(id)}}`;
    return resultText(lookup(name, on)) + end;
  });
}

/**
 * The same results from the text of a body, without JSON.parse: 33 % more bulk requests of 1,000 queries (ADR 12).
 * @returns undefined if the text has another form, an invalid query or more than `maxQueries`; the caller then parses
 */
export async function scannedResults(body: string, release: Release, maxQueries: number, minAge: number): BulkAnswer {
  const scanner = new QueryScanner(body);
  if (!scanner.open()) return undefined;
  const lookup = lookupIn(release, minAge);
  return bulkAnswer(
    (at) => at > 0 && scanner.atEnd(),
    (at) => {
      if (at === maxQueries || !scanner.next() || scanner.name.length > MAX_NAME) return undefined;
      const on = parseCivilDay(scanner.date);
      return Number.isNaN(on) ? undefined : `${resultText(lookup(scanner.name, on))}}`;
    },
  );
}

const millionths = (share: number | null): number | null => (share === null ? null : Math.round(share * 1e6) / 1e6);

/** Fields that `?detail=true` adds to a result. */
function ageGenderDetail(
  release: Release,
  name: number,
  on: CivilDay,
  minAge: number,
  donors: GroupedAges | null = null,
): AgeGenderDetail {
  const known = name < 0 ? undefined : release.demographics.ages.distribution(name, on, minAge);
  const quartiles = known && (donors?.quartiles(name, on) ?? known);
  const leastAge = donors === null ? minAge : ADULT_AGE;
  const femaleShare = known ? release.demographics.ages.femaleShareLiving(name, on, leastAge) : null;
  return {
    gender_probability: millionths(known?.genderProbability ?? null),
    female_share_living: millionths(femaleShare),
    sample_size: known ? known.bornM + known.bornF : 0,
    age_q25: quartiles?.q25 ?? null,
    age_q75: quartiles?.q75 ?? null,
    data_release: release.id,
  };
}

/** Like `ageGenderResults`, with the detail of each result. */
export function detailedAgeGenderResults(
  queries: readonly unknown[],
  release: Release,
  minAge = 0,
  donors: GroupedAges | null = null,
): BulkAnswer {
  const lookup = lookupIn(release, minAge, donors);
  return parsedResults(queries, ({ name, id }, on) => {
    const { nameIndex, ageYears, gender } = lookup(name, on);
    const detail = ageGenderDetail(release, nameIndex, on, minAge, donors);
    return JSON.stringify({ age: ageYears, gender, ...(id !== undefined && { id }), ...detail });
  });
}

const QUOTE = 34;
const BACKSLASH = 92;
const SPACE = 32;
const DATE_LENGTH = 10;

/**
 * Reads the usual form of a bulk request, `{"queries":[{"date":"…","name":"…"},…]}` with or without spaces, without
 * JSON.parse, which spends 40 % of the request on short-lived objects (ADR 12). For other text (other keys, escapes,
 * line breaks, errors) `next` and `atEnd` return false and the caller uses JSON.parse. A property test compares both.
 */
export class QueryScanner {
  date = '';
  name = '';
  private at = 0;
  private first = true;

  constructor(private readonly text: string) {}

  /** Reads the start of the body. */
  open(): boolean {
    return this.token('{') && this.token('"queries"') && this.token(':') && this.token('[');
  }

  /** Reads one query into `date` and `name`; false if the list ends or another form follows. */
  next(): boolean {
    const before = this.at;
    if ((!this.first && !this.token(',')) || !this.token('{')) {
      this.at = before; // a comma without a query after it is not consumed
      return false;
    }
    this.first = false;
    const both = this.token('"date"')
      ? this.dateValue() && this.token(',') && this.token('"name"') && this.nameValue()
      : this.token('"name"') && this.nameValue() && this.token(',') && this.token('"date"') && this.dateValue();
    return both && this.token('}');
  }

  /** True if the list and the body end here; otherwise consumes nothing. */
  atEnd(): boolean {
    const before = this.at;
    if (this.token(']') && this.token('}')) {
      this.skipSpaces();
      if (this.at === this.text.length) return true;
    }
    this.at = before;
    return false;
  }

  private dateValue(): boolean {
    if (!this.token(':') || !this.token('"')) return false;
    const end = this.at + DATE_LENGTH;
    if (this.text.charCodeAt(end) !== QUOTE) return false;
    this.date = this.text.slice(this.at, end); // the date parser rejects a quote inside it
    this.at = end + 1;
    return true;
  }

  private nameValue(): boolean {
    if (!this.token(':') || !this.token('"')) return false;
    let end = this.at;
    for (let code = this.text.charCodeAt(end); code !== QUOTE; code = this.text.charCodeAt(++end))
      if (!(code >= SPACE) || code === BACKSLASH) return false; // also ends at NaN, the code after the end of the text
    this.name = this.text.slice(this.at, end);
    this.at = end + 1;
    return true;
  }

  /** Consumes spaces and then the token, if it follows. */
  private token(token: string): boolean {
    this.skipSpaces();
    for (let i = 0; i < token.length; i++) if (this.text.charCodeAt(this.at + i) !== token.charCodeAt(i)) return false;
    this.at += token.length;
    return true;
  }

  private skipSpaces(): void {
    while (this.text.charCodeAt(this.at) === SPACE) this.at++;
  }
}

/** Age distribution of one name at one date, for the page, its chart, JSON and CSV. */
export interface AgeAnswer {
  readonly name: string;
  /** yyyy-mm-dd as requested */
  readonly date: string;
  readonly on: CivilDay;
  readonly minAge: number;
  /** Donors whose ages are used; null for all people of at least the minimum age. */
  readonly donors: GroupedAges | null;
  /** index of the name in the birth files; -1 if unknown */
  readonly nameIndex: number;
  readonly ageYears: number | null;
  readonly gender: Gender | null;
  /** null if the name is not in the birth files */
  readonly distribution: AgeDistribution | null;
  /** quartiles of the age by sex; null if the name is not in the birth files */
  readonly sexes: Readonly<Record<Gender, Quartiles>> | null;
  /** label of the birth data */
  readonly records: string;
}

/** @param donors - if given, counts people aged 18 or older and takes their ages from the donors */
export function ageAnswer(
  release: Release,
  name: string,
  date: string,
  least: number,
  donors: GroupedAges | null = null,
): AgeAnswer {
  const minAge = donors === null ? least : ADULT_AGE;
  const on = parseCivilDay(date);
  const { ages } = release.demographics;
  const options = { minAge, hasGivenNames: false };
  const found = ageAndGender(name, on, options, release.demographics, emptyAgeAndGender());
  const { nameIndex, gender } = found;
  const quartiles = donors?.quartiles(nameIndex, on);
  const ageYears = quartiles === undefined ? found.ageYears : quartiles.median;
  const distribution = nameIndex < 0 ? null : { ...ages.distribution(nameIndex, on, minAge), ...quartiles };
  const records = release.label === 'sample' ? 'the sample' : 'the national birth records';
  const sexes =
    distribution === null
      ? null
      : { m: ages.quartiles(nameIndex, on, minAge, MALE), f: ages.quartiles(nameIndex, on, minAge, FEMALE) };
  return { name, date, on, minAge, donors, nameIndex, ageYears, gender, distribution, sexes, records };
}

const people = (count: number): number => Math.round(count * 100) / 100;

/** The result of endpoint 2; `detail` adds the distribution, one number per birth year from `first_birth_year`. */
export function answerAsJson(answer: AgeAnswer, release: Release, detail: boolean): string {
  const { distribution, nameIndex, ageYears, gender, on, minAge, donors } = answer;
  const result = { age: ageYears, gender };
  if (!detail) return JSON.stringify(result);
  const cohorts = distribution?.cohorts ?? [];
  return JSON.stringify({
    ...result,
    ...ageGenderDetail(release, nameIndex, on, minAge, donors),
    living_m: people(distribution?.livingM ?? 0),
    living_f: people(distribution?.livingF ?? 0),
    first_birth_year: cohorts[0]?.year ?? null,
    born_m: cohorts.map(({ bornM }) => bornM),
    born_f: cohorts.map(({ bornF }) => bornF),
    living_by_year_m: cohorts.map(({ livingM }) => people(livingM)),
    living_by_year_f: cohorts.map(({ livingF }) => people(livingF)),
  });
}

const CSV_COLUMNS = ['BIRTH_YEAR', 'BORN_M', 'BORN_F', 'LIVING_M', 'LIVING_F'];

/** One line per birth year in which the name was given; with several names, NAME is the first column. */
export function answersAsCsv(answers: readonly AgeAnswer[]): string {
  const hasNames = answers.length > 1;
  const lines = answers.flatMap(({ name, distribution }) =>
    (distribution?.cohorts ?? [])
      .filter(({ bornM, bornF }) => bornM + bornF > 0)
      .map(({ year, bornM, bornF, livingM, livingF }) => [
        ...(hasNames ? [name] : []),
        ...[year, bornM, bornF, livingM.toFixed(2), livingF.toFixed(2)],
      ]),
  );
  return csvText([[...(hasNames ? ['NAME'] : []), ...CSV_COLUMNS], ...lines]);
}
