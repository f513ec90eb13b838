import { type AgeDistribution, type Demographics } from '@donorlens/demographics';
import { type CivilDay, dayOfYear, yearOf } from '@donorlens/primitives';
import { type Report } from '../command/report';
import { donorWeighted } from '../../test/support/bench-data/donors';

const PEOPLE = 20_000;
const YEAR_DAYS = 365.2425;

/** Shares of the living with a name, and years; one person of each name drawn. */
interface Spread {
  inMiddleHalf: number;
  within5: number;
  within10: number;
  meanError: number;
  middleHalfYears: number;
}

/**
 * How much an age estimate says: for names as often as donors have them, how far the living with a name are from its
 * median. This is the model asked about itself: that donors are like all bearers of their name is assumed, not shown.
 */
export function calibration({ ages }: Demographics): Report {
  const { names, days } = donorWeighted(PEOPLE);
  const rows = [0, 18].map((minAge) => {
    const spreads = names.flatMap((name, i) => {
      const at = ages.nameIndex(name);
      return at < 0 ? [] : (spreadOf(ages.distribution(at, days[i], minAge), days[i]) ?? []);
    });
    const mean = (part: keyof Spread): number =>
      spreads.reduce((sum, one) => sum + one[part], 0) / Math.max(1, spreads.length);
    const percent = (part: keyof Spread): string => `${(100 * mean(part)).toFixed(1)} %`;
    return [
      ...[minAge, years(mean('middleHalfYears')), percent('inMiddleHalf'), percent('within5'), percent('within10')],
      years(mean('meanError')),
    ];
  });
  return {
    columns: [
      ...['minimum age', 'interquartile range', 'between the quartiles', 'within 5 years of the median'],
      ...['within 10 years', 'mean distance from the median'],
    ],
    rows,
    passed: true,
  };
}

const years = (number: number): string => `${number.toFixed(1)} years`;

/** Null if no bearer is alive. */
function spreadOf({ median, q25, q75, cohorts }: AgeDistribution, on: CivilDay): Spread | null {
  if (median === null || q25 === null || q75 === null) return null;
  const sum = { all: 0, inMiddleHalf: 0, within5: 0, within10: 0, distance: 0 };
  const passed = dayOfYear(on) / YEAR_DAYS; // share of birthdays of this year that have been
  for (const { year, livingM, livingF } of cohorts)
    for (const [age, share] of [
      [yearOf(on) - year, passed],
      [yearOf(on) - year - 1, 1 - passed],
    ]) {
      const people = (livingM + livingF) * share;
      const distance = Math.abs(age - median);
      sum.all += people;
      sum.distance += people * distance;
      if (age >= q25 && age <= q75) sum.inMiddleHalf += people;
      if (distance <= 5) sum.within5 += people;
      if (distance <= 10) sum.within10 += people;
    }
  if (sum.all === 0) return null;
  return {
    inMiddleHalf: sum.inMiddleHalf / sum.all,
    within5: sum.within5 / sum.all,
    within10: sum.within10 / sum.all,
    meanError: sum.distance / sum.all,
    middleHalfYears: q75 - q25 + 1,
  };
}
