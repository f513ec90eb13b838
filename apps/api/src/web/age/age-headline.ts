import { counted, yearOf } from '@donorlens/primitives';
import { ADULT_AGE, type AgeDistribution } from '@donorlens/demographics';
import { type AgeAnswer } from '../../lookups/age-gender-results';
import { type HeadlinePart, plain, strong, textOf } from '../layout/headline';
import { capitalized, GENDERS, longDate, sexShare } from '../layout/labels';

const SEX_OF_LIVING = { f: { adult: 'women', any: 'female' }, m: { adult: 'men', any: 'male' } } as const;

type Cohorts = AgeDistribution['cohorts'];

const hasBirths = ({ bornM, bornF }: Cohorts[number]): boolean => bornM + bornF > 0;

/** Birth years up to the date that have records of the name. */
export const recordedCohorts = ({ on, distribution }: Pick<AgeAnswer, 'on' | 'distribution'>): Cohorts =>
  (distribution?.cohorts ?? []).filter((one) => one.year <= yearOf(on) && hasBirths(one));

/** The finding about the name, in one sentence. */
export function headlineParts(answer: AgeAnswer): HeadlinePart[] {
  const { name, minAge, distribution, records } = answer;
  const shown = strong(name.trim() === '' ? '(blank)' : name);
  if (distribution === null) return [plain('The name '), shown, plain(` is not in ${records}`)];
  if (recordedCohorts(answer).length === 0) return [shown, plain(`: no births are recorded by ${longDate(answer.on)}`)];
  const { median } = distribution;
  const sex = sexParts(distribution, minAge >= ADULT_AGE);
  const age =
    median === null
      ? [plain(`none${minAge > 0 ? ` aged ${minAge} or older` : ''} are expected to be living`)]
      : [plain('median age '), strong(String(median))];
  return [shown, plain(': '), ...sex, plain(', '), ...age];
}

/** Births determine the gender. If most of the living are of the other sex, the headline states both. */
function sexParts({ gender, livingM, livingF }: AgeDistribution, isAdult: boolean): HeadlinePart[] {
  if (gender === null) return [plain('equally male and female')];
  const isOther = gender === 'f' ? livingM > livingF : livingF > livingM;
  if (!isOther) return [plain('most likely '), strong(GENDERS[gender])];
  const other = gender === 'f' ? 'm' : 'f';
  const [born, living] = [gender === 'f' ? 'girls' : 'boys', SEX_OF_LIVING[other][isAdult ? 'adult' : 'any']];
  return [
    plain('mostly '),
    strong(born),
    plain(' by births, mostly '),
    strong(living),
    plain(isAdult ? ' among living adults' : ' among the living'),
  ];
}

export const headline = (answer: AgeAnswer): string => textOf(headlineParts(answer));

/** `, estimated from all 1,564 donors of the 2016 cycle`; empty for ages of all people. */
function donorsText(on: AgeAnswer['on'], donors: AgeAnswer['donors']): string {
  if (donors === null) return '';
  const { people, year } = donors.groupOf(yearOf(on));
  return `, estimated from all ${counted(people, 'donor')} of the ${year} cycle`;
}

/** The basis of the headline: share of births, date and minimum age. */
export function subtitle({ on, minAge, donors, distribution }: AgeAnswer): string {
  if (distribution === null) return 'Without a record there is no estimate of age and gender.';
  const { gender, genderProbability, livingM, livingF, median } = distribution;
  if (recordedCohorts({ on, distribution }).length === 0)
    return `The records of this name begin in ${distribution.cohorts.find(hasBirths)?.year}, so it has no age on this date.`;
  const people =
    donors === null ? `people${minAge > 0 ? ` aged ${minAge} or older` : ''} living` : 'donors with this name';
  const age =
    median === null ? `As of ${longDate(on)}.` : `Median age of ${people} on ${longDate(on)}${donorsText(on, donors)}.`;
  if (gender === null || genderProbability === null) return age;
  const births = `${capitalized(sexShare(genderProbability))} of all births with this first name are ${gender === 'f' ? 'girls' : 'boys'}`;
  const living = livingM + livingF;
  if (living === 0) return `${births}. ${age}`;
  const share = sexShare((gender === 'f' ? livingF : livingM) / living);
  const who = minAge >= ADULT_AGE ? 'living adults' : 'the living';
  return `${births}; of ${who} ${share} are ${SEX_OF_LIVING[gender][minAge >= ADULT_AGE ? 'adult' : 'any']}. ${age}`;
}
