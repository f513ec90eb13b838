import { type AgeAnswer } from '../../lookups/age-answer';
import { type HeadlinePart, plain, strong, textOf } from '../layout/headline';
import { GENDERS, longDate, sexShare } from '../layout/labels';

/** What the records say about the name, in one sentence. */
export function headlineParts({ name, distribution, records }: AgeAnswer): HeadlinePart[] {
  const shown = strong(name.trim() === '' ? '(blank)' : name);
  if (distribution === null) return [plain('The name '), shown, plain(` is not in ${records}`)];
  const { gender, median } = distribution;
  const sex = gender === null ? [plain('equally male and female')] : [plain('most likely '), strong(GENDERS[gender])];
  const age =
    median === null ? [plain('none are expected to be living')] : [plain('median age '), strong(String(median))];
  return [shown, plain(': '), ...sex, plain(', '), ...age];
}

export const headline = (answer: AgeAnswer): string => textOf(headlineParts(answer));

/** What the headline is based on: share of births, date and minimum age. */
export function subtitle({ on, minAge, donors, distribution }: AgeAnswer): string {
  if (distribution === null) return 'Without a record there is no estimate of age and gender.';
  const { gender, genderProbability } = distribution;
  const people =
    donors === null ? `people${minAge > 0 ? ` of ${minAge} or older` : ''} living` : 'donors with this name';
  const age = `Median age of ${people} on ${longDate(on)}.`;
  if (gender === null || genderProbability === null) return age;
  return `${sexShare(genderProbability)} of births with this first name are ${GENDERS[gender]}. ${age}`;
}
