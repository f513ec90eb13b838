import { type Fips } from '@donorlens/primitives';
import { type Release } from '@donorlens/reference-data';

/** Median household income of counties, dollars a year; null where the release has no estimate. */
export const incomeOf =
  ({ counties }: Pick<Release, 'counties'>) =>
  (fips: Fips): number | null =>
    counties.find(fips)?.medianHouseholdIncome ?? null;
