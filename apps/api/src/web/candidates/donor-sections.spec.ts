import { type BreakdownRow } from '@donorlens/charts';
import fc from 'fast-check';
import { type CycleDonors } from '../../charts/candidate-profiles';
import { DONOR_SECTIONS, stateFinding, statesOf } from './donor-sections';

const NO_DONORS = {
  cycle: 2016,
  count: 0,
  breakdowns: [],
  ethnicities: [],
  sizes: [],
  retention: null,
  overlaps: [],
} as unknown as CycleDonors;

const row = (by: BreakdownRow['by'], value: string | null, donors: number): BreakdownRow => ({
  ...{ cycle: 2016, candidateId: 'P00000001', by, value, donors },
  ...{ contributions: donors, amountCents: donors },
});

/** Labels and figures of a section, its finding, and its note. */
function shown(id: string, donors: Partial<CycleDonors>) {
  const section = DONOR_SECTIONS.find((one) => one.id === id)!;
  const all = { ...NO_DONORS, ...donors };
  const bars = section.bars(all);
  return {
    bars: bars.map(({ label, figure }) => `${label} ${figure}`),
    finding: bars.length > 0 ? section.finding(bars) : null,
    unknown: section.unknown?.(all),
  };
}

describe('sections of donors', () => {
  it('have shares of the donors with a known value, and the number of other donors', () => {
    const breakdowns = [row('gender', 'f', 3), row('gender', 'm', 1), row('gender', null, 1)];
    expect(shown('gender', { breakdowns })).toEqual({
      bars: ['Female 75% (3)', 'Male 25% (1)'],
      finding: '75% are female',
      unknown: '1 of 5 donors has no known gender.',
    });
    expect(shown('gender', { breakdowns: [row('gender', null, 2)] }).bars).toEqual([]);
  });

  it('have the same bands of ages and incomes for every candidate', () => {
    const breakdowns = [
      row('age', '10-19', 1),
      row('age', '20-29', 1),
      row('age', '80-89', 1),
      row('age', '110-119', 1),
    ];
    expect(shown('age', { breakdowns }).bars).toEqual([
      '18 to 29 50% (2)',
      ...['30 to 39', '40 to 49', '50 to 59', '60 to 69', '70 to 79'].map((band) => `${band} 0% (0)`),
      '80 or older 50% (2)',
    ]);
    const incomes = [
      row('income', '30000-39999', 1),
      row('income', '90000-99999', 2),
      row('income', '120000-129999', 1),
    ];
    const { bars, finding } = shown('income', { breakdowns: incomes });
    expect([bars.length, bars[0], bars[6], bars[7], finding]).toEqual([
      8,
      'Under $40,000 25% (1)',
      '$90,000 to $99,999 50% (2)',
      '$100,000 or more 25% (1)',
      '$90,000 to $99,999 is the most frequent',
    ]);
  });

  it('name the most frequent occupations, as shares of all that are filed', () => {
    const breakdowns = [
      row('occupation', '(other)', 6),
      row('occupation', 'TEACHER', 1),
      row('occupation', 'RETIRED', 3),
    ];
    expect(shown('occupation', { breakdowns })).toMatchObject({
      bars: ['Retired 30% (3)', 'Teacher 10% (1)'],
      finding: 'Retired is the most frequent',
    });
  });

  it('show donors by the total of their contributions', () => {
    const size = { cycle: 2016, candidateId: 'P00000001', contributions: 1, amountCents: 1 };
    const sizes = [
      { ...size, fromDollars: 0, donors: 3 },
      { ...size, fromDollars: 2_000, donors: 1 },
      { ...size, fromDollars: null, donors: 0 },
    ];
    const { bars, finding } = shown('size', { sizes });
    expect([bars[0], bars[1], bars[4], finding]).toEqual([
      'Under $200 75% (3)',
      '$200 to $499 0% (0)',
      '$2,000 or more 25% (1)',
      '75% gave under $200',
    ]);
  });

  it('show returning donors only if an earlier or later cycle is loaded', () => {
    const retention = { cycle: 2016, candidateId: 'P00000001', donors: 4, returning: null, again: null };
    expect(shown('retention', { retention }).bars).toEqual([]);
    expect(shown('retention', { retention: { ...retention, returning: 1 } }).bars).toEqual([
      'Gave in an earlier loaded cycle 25% (1)',
    ]);
    expect(shown('retention', { retention: { ...retention, again: 2 } })).toMatchObject({
      bars: ['Gave again in 2018 50% (2)'],
      finding: '50% gave again in 2018',
    });
  });

  it('order states by donors, with the unknown state last', () => {
    const breakdowns = [row('state', null, 9), row('state', 'NY', 1), row('state', 'CA', 3)];
    const states = statesOf({ ...NO_DONORS, breakdowns });
    expect(states.map(({ code, share }) => [code, share])).toEqual([
      ['CA', 0.75],
      ['NY', 0.25],
      [null, 0],
    ]);
    expect([stateFinding(states), stateFinding(states.slice(2))]).toEqual([
      '75% live in California',
      'no state is filed',
    ]);
  });

  it('have shares from 0 to 1 that add up to 1 if each known value has a row', () => {
    const values = fc.array(fc.tuple(fc.constantFrom('10-19', '20-29', '50-59', '80-89', null), fc.nat(1000)));
    fc.assert(
      fc.property(values, (people) => {
        const breakdowns = people.map(([value, donors]) => row('age', value, donors));
        const bars = DONOR_SECTIONS.find(({ id }) => id === 'age')!.bars({ ...NO_DONORS, breakdowns });
        const sum = bars.reduce((total, { share }) => total + share, 0);
        expect(bars.length === 0 || Math.abs(sum - 1) < 1e-9).toBe(true);
        expect(bars.every(({ share }) => share >= 0 && share <= 1)).toBe(true);
      }),
    );
  });
});
