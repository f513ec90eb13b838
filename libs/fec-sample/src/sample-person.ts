import { Random, seedOf } from './random';
import {
  ACCENTED_FIRST_NAMES,
  ACCENTED_SURNAMES,
  EMPLOYERS,
  FIRST_NAMES,
  OCCUPATIONS,
  PLACES,
  type SamplePlace,
  SURNAMES,
} from './sample-names';

/** A made-up donor. Latin-1 text. */
export interface SamplePerson {
  readonly last: string;
  readonly first: string;
  readonly middle: string;
  readonly street: string;
  readonly city: string;
  readonly state: string;
  readonly zip: string;
  readonly employer: string;
  readonly occupation: string;
}

const STREETS = ['MAIN ST', 'OAK AVE', '2ND ST APT 4', 'ELM DR'] as const;
const ODDITIES = ['="SELF"', '+1 CONSULTING', '@HOME', '-', 'THE "BIG" STORE'] as const;
/** How much more often older people give than younger ones: see Random.pickEarly. */
const OLD_FIRST = 1.3;
const YOUTH = new Map(
  FIRST_NAMES.map((name, index, { length }) => [name, 2 * (index / length) ** (1 / OLD_FIRST) - 1]),
);
const TITLES = ['MR.', 'MRS.', 'MS.', 'DR.'] as const;

/** Donor number so-and-so of a seed: always the same one, so that nobody has to be remembered. */
export function samplePerson(seed: number, number: number, places: readonly SamplePlace[] = PLACES): SamplePerson {
  const random = new Random(seedOf(seed, number));
  const isAccented = random.happens(0.02);
  const [city, state, area] = random.pick(places);
  return {
    last: isAccented ? random.pick(ACCENTED_SURNAMES) : random.pickEarly(SURNAMES),
    first: isAccented ? random.pick(ACCENTED_FIRST_NAMES) : random.pickEarly(FIRST_NAMES, OLD_FIRST),
    middle: random.happens(0.3) ? String.fromCharCode(65 + random.below(26)) : '',
    street: `${1 + random.below(9000)} ${random.pick(STREETS)}`,
    city,
    state,
    zip: zipOf(area, random),
    employer: oddly(random.pickEarly(EMPLOYERS), random),
    occupation: oddly(random.pickEarly(OCCUPATIONS), random),
  };
}

/** -1 to 1, as many below zero as above: how young a first name is among those of donors. */
export const youthOf = ({ first }: SamplePerson): number => YOUTH.get(first) ?? 0;

/** Nine digits or five mostly; others as filers leave them. */
function zipOf(area: string, random: Random): string {
  const nine = area + String(random.below(1_000_000)).padStart(6, '0');
  if (random.happens(0.6)) return nine;
  return nine.slice(0, random.happens(0.96) ? 5 : random.below(10));
}

/** What a spreadsheet would take for a formula, and what a reader of quoted text would stumble over. */
const oddly = (text: string, random: Random): string =>
  random.happens(0.01) ? random.pick([...ODDITIES, `"${text}`]) : text;

/** SURNAME, GIVEN NAMES as filers write it: with titles, suffixes, nicknames, couples and blanks behind. */
export function filedNameOf({ last, first, middle }: SamplePerson, random: Random): string {
  const name = `${last}, ${first}${middle === '' ? '' : ` ${middle}`}`;
  if (!random.happens(0.12)) return name;
  return random.pick([
    `${name}  `,
    `${name}.`,
    `${name} ${random.pick(TITLES)}`,
    `${name} JR`,
    `${name} "BUD"`,
    `${last}, ${first} & PAT`,
    `${last}, ${random.pick(TITLES)} ${first}`,
  ]);
}
