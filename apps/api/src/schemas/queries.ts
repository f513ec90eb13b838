import { FIRST_YEAR, GEOCODE_OUTCOMES, LAST_YEAR, fipsOf, parseCivilDay } from '@donorlens/primitives';
import { AREA_LEVELS } from '@donorlens/demographics';
import { z } from 'zod';

/** Maximum length of a name. The longest name in FEC files has 200 characters. */
export const MAX_NAME = 200;
const MAX_TEXT = 200;
export const MAX_ID = 64;

const id = z.string().max(MAX_ID).optional().describe('Id of the client; returned with the result if it was sent.');
const name = z.string().max(MAX_NAME);
const date = z
  .string()
  .refine((text) => !Number.isNaN(parseCivilDay(text)), 'must be a real date yyyy-mm-dd')
  .meta({ format: 'date', example: '2017-07-01' });
const YEARS = `must be a year from ${FIRST_YEAR} to ${LAST_YEAR}`;
const UNQUOTED = 'must be a number, without quotes';
const yearNumber = z
  .int({ error: ({ input }) => (input === undefined ? undefined : typeof input === 'string' ? UNQUOTED : YEARS) })
  .min(FIRST_YEAR, YEARS)
  .max(LAST_YEAR, YEARS);
const year = yearNumber.meta({ example: 2016 });

export const ageGenderQuery = z.object({
  date: date.describe('Reference date: the day of the donation.'),
  name: name.describe('First name.').meta({ example: 'Thomas' }),
  id,
});

export const ethnicityQuery = z.object({
  surname: name.meta({ example: 'Garcia' }),
  year: year.describe(
    'Year of the donation. Up to 2005 the 2000 Census is used, from 2006 on the 2010 Census, and from 2016 on the 2020 Census if the data release has its surnames.',
  ),
  id,
});

const text = z.string().max(MAX_TEXT).nullish();
export const contributionQuery = z
  .object({
    first_name: text,
    last_name: text,
    name: text.describe(
      'The whole name as filed: SMITH, JOHN A MR. Its parts are used where first_name and last_name are missing; its title, and that it names an organization or an estate, in any case.',
    ),
    entity_type: text.describe('IND, ORG, COM, ... as filed.'),
    street: text.describe(
      'House number and street. With city and state, or a ZIP, it gives county, tract and block; a post office box does not.',
    ),
    street_2: text.describe(
      'Second line of the address. Used where the first is blank, a post office box or a care-of line.',
    ),
    city: text.describe('City as filed.'),
    state: text.describe('Two letters, as filed.').meta({ example: 'VA' }),
    zip: text.describe('Five or nine digits, with or without a hyphen, as text.').meta({ example: '22030' }),
    date: z
      .string()
      .nullish()
      .describe(
        'Day of the donation, as yyyy-mm-dd or as the FEC writes it: 03012016, 2016-03-01T00:00:00, 3/1/2016. Without it there is no age.',
      )
      .meta({ example: '2016-10-01' }),
    year: z
      .union([yearNumber, z.string(YEARS).regex(/^[1-9]\d{3}$/, YEARS)])
      .nullish()
      .describe('Year of the donation, for the ethnicity where the date is missing.'),
    fips: z
      .string()
      .refine((code) => fipsOf(code) !== null, 'must be five digits, or four without the leading zero')
      .nullish()
      .describe(
        'County code of five digits, or four where the leading zero is lost, if you know it: gives county and income until the address has given its own. A code that no county has is left out.',
      ),
    id,
  })
  .refine((query) => [query.name, query.first_name, query.last_name].some((one) => typeof one === 'string'), {
    message: 'needs name, or first_name and last_name',
  });

/** A body of queries; one or more. */
export const bodyOf = <T extends z.ZodType>(query: T) =>
  z.object({ queries: z.array(query).min(1) }, 'must be an object: {"queries":[…]}');

const gender = z.enum(['m', 'f']).nullable();
const percent = z.number().min(0).max(100).nullable();
const race = z.enum(['white', 'black', 'api', 'aian', '2prace', 'hispanic']).nullable();
const release = z.string().describe('The data release that gave the answer.');

export const ageGenderDetailSchema = z.object({
  gender_probability: z.number().min(0).max(1).nullable().describe('Share of the births of this name with this sex.'),
  female_share_living: z
    .number()
    .min(0)
    .max(1)
    .nullable()
    .describe(
      'Share of women among the living bearers of the name at the date, of at least min_age, or of adults for donors.',
    ),
  sample_size: z.int().describe('Births of this name in the national records, all years.'),
  age_q25: z.int().nullable(),
  age_q75: z.int().nullable(),
  data_release: release,
});
export type AgeGenderDetail = Readonly<z.infer<typeof ageGenderDetailSchema>>;

export const ageGenderResult = z.object({
  age: z.int().min(0).max(119).nullable().describe('Median age in completed years of the living bearers of the name.'),
  gender,
  id,
  ...ageGenderDetailSchema.partial().shape,
});

const people = z.array(z.number().min(0));
/** For one name, `detail=true` adds the distribution. */
export const ageGenderAnswer = ageGenderResult.extend({
  living_m: z.number().min(0).optional().describe('Living bearers of the name at the date, men.'),
  living_f: z.number().min(0).optional().describe('The same, women.'),
  first_birth_year: z.int().nullable().optional().describe('Year of the first number in each of the lists.'),
  born_m: people.optional().describe('Births by year.'),
  born_f: people.optional(),
  living_by_year_m: people.optional().describe('Of them, living at the date.'),
  living_by_year_f: people.optional(),
});

export const ethnicityResult = z.object({
  pct2prace: percent,
  pctaian: percent,
  pctapi: percent,
  pctblack: percent,
  pcthispanic: percent,
  pctwhite: percent,
  race,
  surname: z.string().describe('As asked, to the character.'),
  id,
  census: z.union([z.literal(2000), z.literal(2010), z.literal(2020)]).optional(),
  matched_surname: z.string().nullable().optional().describe('The spelling found in the census file.'),
  suppressed: z
    .array(z.string())
    .optional()
    .describe('Cells the census withholds: filled with equal shares of the rest.'),
  tie: z.boolean().optional().describe('True where another group has the same share as the one named.'),
  data_release: release.optional(),
});

export const contributionResult = z.object({
  age: z.int().nullable(),
  gender,
  ethnicity: race,
  pct_white: percent,
  pct_black: percent,
  pct_api: percent,
  pct_aian: percent,
  pct_2prace: percent,
  pct_hispanic: percent,
  fips: z
    .string()
    .nullable()
    .describe('County of the address, else the one that you gave, without a street that of the ZIP: five digits.'),
  county: z.string().nullable().describe('Its name.'),
  tract_cd: z.string().nullable().describe('Six digits.'),
  block_cd: z.string().nullable().describe('Four digits.'),
  hh_income_median: z.int().nullable().describe('Median household income of the county in 2018, dollars a year.'),
  address_id: z
    .string()
    .regex(/^[0-9a-f]{32}$/)
    .nullable()
    .describe('The same for all spellings of one address; null without a match.'),
  geocode_status: z
    .enum([...GEOCODE_OUTCOMES, 'SKIPPED', 'PENDING'])
    .nullable()
    .describe(
      'MATCH; NO_MATCH; TIE: ambiguous, with a county only if all candidate addresses are in it; SKIPPED: not geocoded, because there is no street, or a post office box, or an address abroad or of the military; PENDING: not geocoded yet, unlike NO_MATCH.',
    ),
  gender_source: z
    .enum(['title', 'name'])
    .nullable()
    .optional()
    .describe('With detail=true: a title (MR, MRS, …) decides the gender before the first name does.'),
  fips_source: z
    .enum(['address', 'given', 'zip'])
    .nullable()
    .optional()
    .describe('With detail=true: what says the county.'),
  fips_share: z
    .number()
    .nullable()
    .optional()
    .describe("With detail=true: percent of the ZIP's people who live in a county by ZIP."),
  ethnicity_basis: z
    .enum([...AREA_LEVELS, 'surname'])
    .nullable()
    .optional()
    .describe(
      'With ethnicity_basis=place: the area that ethnicity follows from beside the surname; surname: none is known.',
    ),
  surname_listed: z
    .boolean()
    .nullable()
    .optional()
    .describe('With ethnicity_basis=place: false where the shares of ALL OTHER NAMES stand for those of the surname.'),
  tract_income_median: z
    .int()
    .nullable()
    .optional()
    .describe('With tract_income=true: median household income of the tract, dollars a year.'),
  id,
});

/** Names of the schemas in the OpenAPI document and in generated clients. */
const NAMED = {
  AgeGenderQuery: ageGenderQuery,
  EthnicityQuery: ethnicityQuery,
  ContributionQuery: contributionQuery,
  AgeGenderResult: ageGenderResult,
  EthnicityResult: ethnicityResult,
  ContributionResult: contributionResult,
};
for (const [id, schema] of Object.entries(NAMED)) z.globalRegistry.add(schema, { id });
