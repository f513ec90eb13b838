import { ADULT_AGE, type GroupAges, type GroupIntervals, type Interval } from '@donorlens/demographics';

/** Entity of all donors of a cycle. A donor to several committees counts once for each of them. */
export const WHOLE_CYCLE = 'cycle:all';

/** Estimated ages of a group of donors, in the stored form. */
export interface AgeEstimate {
  /** number of donors with a known first name */
  readonly people: number;
  readonly effectivePeople: number;
  /** 0 to 1 */
  readonly maleShare: number;
  /** 0 to 1 by completed age, 18 first */
  readonly shares: readonly number[];
  readonly median: Interval;
  readonly bands: GroupIntervals['bands'];
}

/** Significant digits of a stored share. */
const DIGITS = 8;

export const storedEstimate = ({ shares, effectivePeople, ...estimate }: GroupIntervals): AgeEstimate => ({
  ...estimate,
  effectivePeople: Math.round(100 * effectivePeople) / 100, // more decimals have no meaning and look like a coordinate
  shares: [...shares].map((share) => Number(share.toPrecision(DIGITS))),
});

export const groupOf = ({ shares, ...group }: AgeEstimate): GroupAges => ({
  ...group,
  shares: Float64Array.from(shares),
});

/** Expected people by group, in hundredths, rounded by the largest remainder method so that they add up to `people`. */
export function expectedHundredths(people: number, shares: readonly number[]): number[] {
  const total = shares.reduce((sum, share) => sum + share, 0);
  const exact = shares.map((share) => (100 * people * share) / total);
  const rounded = exact.map(Math.floor);
  const left = 100 * people - rounded.reduce((sum, hundredths) => sum + hundredths, 0);
  const byRemainder = exact.map((_, at) => at).sort((a, b) => exact[b] - rounded[b] - (exact[a] - rounded[a]) || a - b);
  for (const at of byRemainder.slice(0, left)) rounded[at]++;
  return rounded;
}

/**
 * Expected donors by age, in hundredths, which add up to `people`.
 * @returns pairs of age and number, without ages that round to 0
 */
export const expectedDonors = ({
  people,
  shares,
}: Pick<AgeEstimate, 'people' | 'shares'>): (readonly [ageYears: number, hundredths: number])[] =>
  expectedHundredths(people, shares).flatMap((hundredths, at) =>
    hundredths === 0 ? [] : [[ADULT_AGE + at, hundredths] as const],
  );
