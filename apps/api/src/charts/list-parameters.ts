import { cycleOfYear, FEC_OFFICES, type FecOffice, OFFICE_NAMES, officeOf } from '@donorlens/primitives';
import { z } from 'zod';
import { MAX_VALUES, type ParameterReader } from '../http/query-parameters';
import { type QueryParameter } from '../http/route-policy';

/** Values of the list parameters by name, each sorted and without duplicates. */
export type Lists = Readonly<Record<string, readonly string[]>>;

/** A query parameter that may be repeated, once per value; several values are alternatives. */
export interface ListParameter extends QueryParameter {
  readonly maxValues: number;
  /** Returns the value in its canonical spelling, or the error. */
  readonly read: (value: string) => { readonly value: string } | { readonly fault: string };
}

const listOf = (schema: z.ZodType, maxValues = MAX_VALUES): z.ZodType => z.array(schema).max(maxValues);

const idParameter = (name: string, shape: RegExp, fault: string): ListParameter => ({
  name,
  description: `${fault.replace('must be', 'Ids:')}. Repeat it for several.`,
  schema: listOf(z.string().regex(shape)),
  maxValues: MAX_VALUES,
  read: (text) => {
    const value = text.toUpperCase();
    return shape.test(value) ? { value } : { fault };
  },
});

export const COMMITTEE_ID = idParameter('committee_id', /^C\d{8}$/, 'must be C and eight digits');
export const CANDIDATE_ID = idParameter(
  'candidate_id',
  /^(P\d{8}|[SH]\d[0-9A-Z]{7})$/,
  'must be P and eight digits (President), or like S0NY00123 (Senate, office=S) or H0NY12345 (House, office=H)',
);

const PARTY_CODE = /^[A-Z]{3}$/;

export const PARTY: ListParameter = {
  name: 'party',
  description:
    'Parties by their FEC codes, such as DEM: all presidential candidates of each together, instead of single candidates.',
  schema: listOf(z.string().regex(PARTY_CODE)),
  maxValues: MAX_VALUES,
  read: (text) => {
    const value = text.toUpperCase();
    return PARTY_CODE.test(value) ? { value } : { fault: 'must be a code of three letters, such as DEM' };
  },
};

const YEAR = /^[1-9]\d{3}$/;

export const CYCLE: ListParameter = {
  name: 'cycle',
  description: 'Election cycles, each by the even year that ends it: 2020 is 2019 and 2020. Without one: all cycles.',
  schema: listOf(z.int().multipleOf(2).min(1000).max(9998)),
  maxValues: MAX_VALUES,
  read: (text) => {
    if (!YEAR.test(text)) return { fault: 'must be a year of four digits; repeat the parameter for several' };
    const year = Number(text);
    const cycle = cycleOfYear(year);
    return year === cycle ? { value: text } : { fault: `must be an even year: ${year} belongs to the cycle ${cycle}` };
  },
};

const MIN_NAME_LENGTH = 2;
const MAX_NAME_LENGTH = 200;

export const NAME_PART: ListParameter = {
  name: 'name_part',
  description: 'Parts of candidate names, in any case, with or without accents. % and _ are just characters.',
  schema: listOf(z.string().min(MIN_NAME_LENGTH).max(MAX_NAME_LENGTH)),
  maxValues: MAX_VALUES,
  read: (text) => {
    if (text.includes('\0')) return { fault: 'must not hold a NUL character' };
    const value = text.normalize('NFD').replace(/\p{M}/gu, '').toUpperCase();
    const length = [...value.trim()].length;
    return length >= MIN_NAME_LENGTH && length <= MAX_NAME_LENGTH
      ? { value }
      : { fault: `must have ${MIN_NAME_LENGTH} to ${MAX_NAME_LENGTH} characters` };
  },
};

const FILE_NAME = /^[\w.-]{1,120}$/;

/** Links on pages set it, so that downloaded files have different names. */
export const FILENAME: ListParameter = {
  name: 'filename',
  description: 'Name of the downloaded file without its extension. Without it: results.',
  schema: z.string().regex(FILE_NAME),
  maxValues: 1,
  read: (text) =>
    FILE_NAME.test(text)
      ? { value: text }
      : { fault: 'must have 1 to 120 characters: letters, digits, periods, hyphens and underscores' },
};

/** A parameter with a fixed set of values. */
export const choice = (
  name: string,
  description: string,
  values: readonly [string, ...string[]],
  maxValues: number,
): ListParameter => ({
  name,
  description,
  schema: maxValues === 1 ? z.enum(values) : listOf(z.enum(values), maxValues),
  maxValues,
  read: (text) => (values.includes(text) ? { value: text } : { fault: `must be one of ${values.join(', ')}` }),
});

export const OFFICE = choice(
  'office',
  'Offices of the candidates: P President, S Senate, H House; repeat it for several. Without one: P.',
  FEC_OFFICES,
  FEC_OFFICES.length,
);

/** The offices that a query names; an empty list means President. */
export const officesOf = (lists: Lists): readonly FecOffice[] =>
  FEC_OFFICES.filter((office) => lists.office?.includes(office));

/** A candidate for another office would result in an empty file, so the error names the parameter to add. */
export function checkOffices(reader: ParameterReader, lists: Lists): void {
  const offices = lists.office?.length ? lists.office : ['P'];
  const others = new Set((lists.candidate_id ?? []).map(officeOf).filter((one) => one && !offices.includes(one)));
  for (const office of FEC_OFFICES.filter((one) => others.has(one)))
    reader.addFault(CANDIDATE_ID.name, `has a candidate for ${OFFICE_NAMES[office]}: add office=${office}`);
}
