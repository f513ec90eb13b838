import { type AgeAnswer } from '../lookups/age-answer';
import { GENDERS, longDate, sexShare } from './words';

/** The answer as parts of one sentence; the strong ones carry it. */
export interface HeadlinePart {
  readonly text: string;
  readonly strong?: boolean;
}

export const plain = (text: string): HeadlinePart => ({ text });
export const strong = (text: string): HeadlinePart => ({ text, strong: true });

export function headlineParts({ name, on, minAge, distribution, records }: AgeAnswer): HeadlinePart[] {
  const called = strong(name.trim() === '' ? '(blank)' : name);
  if (distribution === null)
    return [plain('The name '), called, plain(` is not in ${records}, so it has no age and no gender here.`)];
  const { gender, genderProbability, median } = distribution;
  const genderParts =
    gender === null || genderProbability === null
      ? [plain('is as often male as female')]
      : [plain('is most probably '), strong(GENDERS[gender]), plain(` (${sexShare(genderProbability)})`)];
  const ageParts =
    median === null
      ? [plain('; nobody of that name is counted as living then, so there is no age')]
      : [plain(', median age '), strong(String(median))];
  const among = minAge > 0 ? `, ${minAge} or older,` : '';
  return [
    plain('A person named '),
    called,
    plain(` alive on ${longDate(on)}${among} `),
    ...genderParts,
    ...ageParts,
    plain('.'),
  ];
}

/** As many as a sentence can name. */
const MOST_NAMED = 3;

/** Those who share a place: by name, or how many they are. */
export function sharers(named: readonly (readonly HeadlinePart[])[], called: string): HeadlinePart[] {
  if (named.length > MOST_NAMED) return [strong(`${named.length} ${called}`)];
  return named.flatMap((one, at) => {
    const before = at === 0 ? [] : [plain(at === named.length - 1 ? ' and ' : ', ')];
    return [...before, ...one];
  });
}

export const textOf = (parts: readonly HeadlinePart[]): string => parts.map(({ text }) => text).join('');

export const headline = (answer: AgeAnswer): string => textOf(headlineParts(answer));
