import { type AgeDistribution, type Demographics } from '@donorlens/demographics';
import { type CivilDay, dayOfYear, yearOf } from '@donorlens/primitives';
import { type Report } from '../command/report';
import { donorWeighted } from '../../test/support/bench-data/donors';

const PEOPLE = 20_000;
const YEAR_DAYS = 365.2425;

const COLUMNS = [
  ...['interquartile range, years', 'between the quartiles, %', 'within 5 years of the median, %'],
  ...['within 10 years of the median, %', 'mean distance from the median, years'],
];

/**
 * The spread of age estimates: for names as frequent as among donors, the distance of the living with the name from
 * their median. This is the model's own spread: it assumes that donors are like all bearers of their name.
 */
export function calibration({ ages }: Demographics): Report {
  const { names, days } = donorWeighted(PEOPLE);
  const rows = [0, 18].map((minAge) => {
    const spreads = names.flatMap((name, i) => {
      const at = ages.nameIndex(name);
      const spread = at < 0 ? null : spreadOf(ages.distribution(at, days[i], minAge), days[i]);
      return spread ? [spread] : [];
    });
    const mean = (at: number): number => spreads.reduce((sum, spread) => sum + spread[at], 0) / spreads.length;
    return [minAge, ...COLUMNS.map((_, at) => mean(at).toFixed(1))];
  });
  return { columns: ['minimum age', ...COLUMNS], rows, passed: true };
}

/** Values of COLUMNS; null if no bearer is alive. */
function spreadOf({ median, q25, q75, cohorts }: AgeDistribution, on: CivilDay): number[] | null {
  if (median === null || q25 === null || q75 === null) return null;
  const passed = dayOfYear(on) / YEAR_DAYS; // share of birthdays of this year that have been
  const groups = cohorts.flatMap(({ year, livingM, livingF }) => [
    { age: yearOf(on) - year, people: (livingM + livingF) * passed },
    { age: yearOf(on) - year - 1, people: (livingM + livingF) * (1 - passed) },
  ]);
  const sum = (of: (age: number) => number): number =>
    groups.reduce((total, { age, people }) => total + people * of(age), 0);
  const all = sum(() => 1);
  const percent = (isIn: (age: number) => boolean): number => (100 * sum((age) => (isIn(age) ? 1 : 0))) / all;
  if (all === 0) return null;
  return [
    q75 - q25 + 1,
    percent((age) => age >= q25 && age <= q75),
    ...[5, 10].map((years) => percent((age) => Math.abs(age - median) <= years)),
    sum((age) => Math.abs(age - median)) / all,
  ];
}
