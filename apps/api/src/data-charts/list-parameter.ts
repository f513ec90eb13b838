import { cycleOfYear } from '@donorlens/primitives';
import { z } from 'zod';
import { MOST_VALUES } from '../http/query-parameters';
import { type QueryParameter } from '../http/route-policy';

/** A parameter that may be repeated, once per value; several values are alternatives. */
export interface ListParameter extends QueryParameter {
  readonly most: number;
  /** The value in its one spelling, or what is wrong with it. */
  readonly read: (value: string) => { readonly value: string } | { readonly fault: string };
}

const listed = (schema: z.ZodType, most = MOST_VALUES): z.ZodType => z.array(schema).max(most);

const idParameter = (name: string, letter: 'C' | 'P', fault: string): ListParameter => {
  const shape = new RegExp(`^${letter}\\d{8}$`);
  return {
    name,
    description: `${fault.replace('must be', 'Ids:')}. Repeat it for several.`,
    schema: listed(z.string().regex(shape)),
    most: MOST_VALUES,
    read: (text) => {
      const value = text.toUpperCase();
      return shape.test(value) ? { value } : { fault };
    },
  };
};

export const COMMITTEE_ID = idParameter('committee_id', 'C', 'must be C and eight digits');
export const CANDIDATE_ID = idParameter(
  'candidate_id',
  'P',
  'must be P and eight digits, as presidential candidates have',
);

const YEAR = /^[1-9]\d{3}$/;

export const CYCLE: ListParameter = {
  name: 'cycle',
  description: 'Election cycles, each by the even year that ends it: 2020 is 2019 and 2020. Without one: all cycles.',
  schema: listed(z.int().multipleOf(2).min(1000).max(9998)),
  most: MOST_VALUES,
  read: (text) => {
    if (!YEAR.test(text)) return { fault: 'must be a year of four digits; repeat the parameter for several' };
    const year = Number(text);
    const cycle = cycleOfYear(year);
    return year === cycle ? { value: text } : { fault: `must be an even year: this one belongs to the cycle ${cycle}` };
  },
};

const LEAST_NAME = 2;
const MOST_NAME = 200;

export const NAME_PART: ListParameter = {
  name: 'name_part',
  description: 'Parts of candidate names, in any case, with or without accents. % and _ are just characters.',
  schema: listed(z.string().min(LEAST_NAME).max(MOST_NAME)),
  most: MOST_VALUES,
  read: (text) => {
    if (text.includes('\0')) return { fault: 'must not hold a NUL character' };
    const value = text.normalize('NFD').replace(/\p{M}/gu, '').toUpperCase();
    const length = [...value.trim()].length;
    return length >= LEAST_NAME && length <= MOST_NAME
      ? { value }
      : { fault: `must have ${LEAST_NAME} to ${MOST_NAME} characters` };
  },
};

/** One of a few words. */
export const choice = (
  name: string,
  description: string,
  words: readonly [string, ...string[]],
  most: number,
): ListParameter => ({
  name,
  description,
  schema: most === 1 ? z.enum(words) : listed(z.enum(words), most),
  most,
  read: (text) => (words.includes(text) ? { value: text } : { fault: `must be one of ${words.join(', ')}` }),
});
