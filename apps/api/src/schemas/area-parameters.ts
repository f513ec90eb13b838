import { type AreaTable, type EthnicGeography } from '@donorlens/demographics';
import { ETHNICITY_OPTIONS, type EthnicityOption } from '@donorlens/primitives';
import { NO_AREA_PEOPLE, NO_TRACT_INCOMES, type Release } from '@donorlens/reference-data';
import { z } from 'zod';
import { Problem } from '../http/problem';
import { type ParameterReader } from '../http/query-parameters';
import { type QueryParameter } from '../http/route-policy';

export const ETHNICITY_BASIS: QueryParameter = {
  name: 'ethnicity_basis',
  description:
    'place: ethnicity and its shares follow from surname and tract, ZCTA or county (BISG); adds which of them, and whether the surname is listed. Default: the setting ETHNICITY_BASIS, surname unless the operator changed it.',
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

/** Tables for what was asked; null for what was not. */
export interface AskedAreas {
  readonly geography: EthnicGeography | null;
  readonly tractIncomes: AreaTable | null;
}

/** @throws Problem 409 that names the file that the data release lacks */
export function requestedAreas(release: Release | null, { ethnicityBasis, tractIncome }: AreaOptions): AskedAreas {
  const [geography, tractIncomes] = [release?.geography ?? null, release?.tractIncomes ?? null];
  if (ethnicityBasis === 'place' && geography === null) throw lacking(NO_AREA_PEOPLE);
  if (tractIncome && tractIncomes === null) throw lacking(NO_TRACT_INCOMES);
  return {
    geography: ethnicityBasis === 'place' ? geography : null,
    tractIncomes: tractIncome ? tractIncomes : null,
  };
}

const lacking = (part: string): Problem =>
  new Problem(
    'no-geography',
    `${part}. The operator puts it into DATA_SOURCE, or leaves DATA_SOURCE unset, and runs bin/donorlens refresh.`,
  );
