import { type GroupAgeEstimator, type YearGroup, yearGroup } from '@donorlens/demographics';
import { yearOf } from '@donorlens/primitives';
import { type BatchTotals, estimateBatchAges } from './batch-summary';

/** Rows of more calendar years have a distribution for each. */
const MAX_YEARS_TOGETHER = 4;

/**
 * Age distributions of the rows of a batch; equal rows give equal ones, in any order.
 * @returns one, or one by year of the date with that of all rows as its parent; none if no first name is informative
 */
export function batchAgeGroups(names: BatchTotals['names'], groupAges: GroupAgeEstimator): YearGroup[] {
  const all = estimateBatchAges(names, groupAges);
  if (all === null) return [];
  const yearsOfNames = names.map(([, on]) => yearOf(on));
  const years = [...new Set(yearsOfNames)].sort((a, b) => a - b);
  if (years[years.length - 1] - years[0] < MAX_YEARS_TOGETHER) return [yearGroup(years[0], all)];
  return years.map((year) => {
    const ofYear = names.filter((_, at) => yearsOfNames[at] === year);
    const people = ofYear.map(([name, on, n]) => ({ name, on, people: n }));
    return yearGroup(year, groupAges.estimate(people, all));
  });
}
