import { z } from 'zod';
import { ETHNICITY_OPTIONS, type EthnicityOption, NAME_DETAIL_COLUMNS } from '@donorlens/primitives';
import {
  AGE_BASES,
  type AgeBasis,
  AgeBasisError,
  type AreaTable,
  type EthnicGeography,
  minAgeForBasis,
} from '@donorlens/demographics';
import { NO_AREA_PEOPLE, NO_TRACT_INCOMES, type Release } from '@donorlens/reference-data';
import { type ParameterReader } from '../http/query-parameters';
import { type QueryParameter } from '../http/route-policy';
import { Problem } from '../http/problem';

/** Maximum wait of a request for its addresses; proxies rarely wait longer. */
export const MAX_WAIT_SECONDS = 60;

export const DETAIL: QueryParameter = {
  name: 'detail',
  description: 'Adds to each result what it rests on, such as births or the matched surname, and the data release.',
  schema: z.boolean().default(false),
};

export const GENDER_DETAIL: QueryParameter = {
  ...DETAIL,
  description: 'Adds to each result what decided its gender and its county. A batch ignores it.',
};

export const PLACE_DETAIL: QueryParameter = {
  ...DETAIL,
  description: `Adds the source of the county (FIPS_SOURCE: address, zip), of a county by ZIP its share of people (FIPS_SHARE), DONOR_ID, and of rows that follow the active data release ${NAME_DETAIL_COLUMNS.join(', ')}.`,
};

export const RESULT_DETAIL: QueryParameter = {
  ...DETAIL,
  description: `Adds how sure the estimates are and what they rest on: of ${NAME_DETAIL_COLUMNS.join(', ')} those that the kind of batch has; in JSON in lower case.`,
};

export const MIN_AGE: QueryParameter = {
  name: 'min_age',
  description: 'Counts only people who have reached this age. Donors are adults: 18 is a good value for them.',
  schema: z.int().min(0).max(100),
};

/** Bases of single and bulk lookups. */
export const LOOKUP_BASES = AGE_BASES.filter((basis) => basis !== 'group');

const BASIS_DESCRIPTION =
  'Whose ages a name stands for. name: all who have it. adult: those of 18 and over, as min_age=18. donors: the donors of the cycle of the date, else of the nearest cycle; 409 without stored contributions.';

export const AGE_BASIS: QueryParameter = {
  name: 'age_basis',
  description: BASIS_DESCRIPTION,
  schema: z.enum(LOOKUP_BASES).default('name'),
};

export const BATCH_AGE_BASIS: QueryParameter = {
  ...AGE_BASIS,
  description: `${BASIS_DESCRIPTION} group: the adults of the batch itself, by year if its dates span more than 4; ages are null until it has ended.`,
  schema: z.enum(AGE_BASES).default('name'),
};

export interface AgeParameters {
  readonly ageBasis: AgeBasis;
  readonly minAge: number | undefined;
}

/** `age_basis` and `min_age`; faults are left to the reader. */
export function ageParameters(parameters: ParameterReader, bases: readonly AgeBasis[] = LOOKUP_BASES): AgeParameters {
  const given = parameters.wholeNumber('min_age', 0, 100);
  const ageBasis = parameters.oneOf('age_basis', bases) ?? 'name';
  try {
    return { ageBasis, minAge: minAgeForBasis(ageBasis, given) };
  } catch (error) {
    if (!(error instanceof AgeBasisError)) throw error;
    parameters.addFault('min_age', error.message);
    return { ageBasis, minAge: given };
  }
}

export const PREFER: QueryParameter = {
  name: 'Prefer',
  description: 'respond-async: take the queries as a batch and answer 202 at once.',
  schema: z.string(),
};

export const PREFER_GEOCODED: QueryParameter = {
  name: 'Prefer',
  description: `wait=N, up to ${MAX_WAIT_SECONDS} seconds: waits until all addresses are geocoded; otherwise 202 with the batch. respond-async: 202 with a batch at once. Both need a key with the scope enrich:batch.`,
  schema: z.string(),
};

export const IDEMPOTENCY_KEY: QueryParameter = {
  name: 'Idempotency-Key',
  description: 'Yours, up to 200 characters: the same key with the same body is one batch, however often it is sent.',
  schema: z.string().max(200),
};

export const RAW: QueryParameter = {
  name: 'raw',
  description: "Leaves out the ' before text that a spreadsheet would run as a formula.",
  schema: z.boolean().default(false),
};

export const BOM: QueryParameter = {
  name: 'bom',
  description: 'Begins CSV with a byte order mark, so that Excel reads it as UTF-8.',
  schema: z.boolean().default(false),
};

/** `?format=` with these values; it overrides Accept, so that links work. */
export const format = (...names: [string, ...string[]]): QueryParameter => ({
  name: 'format',
  description: 'Overrides the Accept header.',
  schema: z.enum(names),
});

export const ETHNICITY_BASIS: QueryParameter = {
  name: 'ethnicity_basis',
  description:
    'place: ethnicity and its shares follow from surname and tract, ZCTA or county (BISG). If the data release has first names by race, they follow from the first name, too. Adds the kind of area, and whether the surname is listed. Default: the setting ETHNICITY_BASIS, surname unless the operator changed it.',
  schema: z.enum(ETHNICITY_OPTIONS),
};

export const TRACT_INCOME: QueryParameter = {
  name: 'tract_income',
  description: 'Adds the median household income of the census tract.',
  schema: z.boolean().default(false),
};

/** What is added to contributions from tables of areas. */
export interface AreaOptions {
  readonly ethnicityBasis: EthnicityOption;
  readonly tractIncome: boolean;
}

export const areaOptions = (parameters: ParameterReader, defaultBasis: EthnicityOption): AreaOptions => ({
  ethnicityBasis: parameters.oneOf('ethnicity_basis', ETHNICITY_OPTIONS) ?? defaultBasis,
  tractIncome: parameters.flag('tract_income'),
});

/** Tables for what was requested; null for what was not. */
export interface RequestedAreas {
  readonly geography: EthnicGeography | null;
  readonly tractIncomes: AreaTable | null;
}

/** @throws Problem 409 that names the file that the data release lacks */
export function requestedAreas(release: Release | null, { ethnicityBasis, tractIncome }: AreaOptions): RequestedAreas {
  const [geography, tractIncomes] = [release?.geography ?? null, release?.tractIncomes ?? null];
  if (ethnicityBasis === 'place' && geography === null) throw missingGeography(NO_AREA_PEOPLE);
  if (tractIncome && tractIncomes === null) throw missingGeography(NO_TRACT_INCOMES);
  return {
    geography: ethnicityBasis === 'place' ? geography : null,
    tractIncomes: tractIncome ? tractIncomes : null,
  };
}

const missingGeography = (part: string): Problem =>
  new Problem(
    'no-geography',
    `${part}. The operator puts it into DATA_SOURCE, or leaves DATA_SOURCE unset, and runs bin/donorlens refresh.`,
  );
