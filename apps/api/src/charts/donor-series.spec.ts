import { type AgeRow, type CumulativeDonorsRow } from '@donorlens/charts';
import { donorAges, donorLines, MAX_HISTOGRAMS, MAX_LINES } from './donor-series';

const days = (cycle: number, candidateId: string, donors: readonly number[]): CumulativeDonorsRow[] =>
  donors.map((count, at) => ({ cycle, candidateId, date: `${cycle - 1}-01-0${at + 1}`, donors: count }));
const ages = (cycle: number, committeeId: string, donors: Readonly<Record<string, number>>): AgeRow[] =>
  Object.entries(donors).map(([age, count]) => ({
    cycle,
    committeeId,
    ageYears: age === 'none' ? null : Number(age),
    donors: count,
    contributions: 0,
    amountCents: 0,
  }));

describe('lines of cumulative donors', () => {
  it('are one per candidate and cycle, by descending donors; ties keep their order', async () => {
    const rows = [...days(2016, 'P1', [1, 2]), ...days(2016, 'P2', [2, 9, 9]), ...days(2020, 'P1', [0, 2])];
    expect(await donorLines(rows)).toEqual({
      of: 3,
      parts: [
        { cycle: 2016, id: 'P2', donors: [2, 9, 9], until: '2015-01-03' },
        { cycle: 2016, id: 'P1', donors: [1, 2], until: '2015-01-02' },
        { cycle: 2020, id: 'P1', donors: [0, 2], until: '2019-01-02' },
      ],
    });
  });

  it('are limited to the eight largest, and the total number is returned', async () => {
    const rows = Array.from({ length: 20 }, (_, at) => days(2016, `P${at}`, [at])).flat();
    const { parts, of } = await donorLines(rows);
    expect([of, MAX_LINES, parts.map(({ id }) => id)]).toEqual([
      20,
      8,
      ['P19', 'P18', 'P17', 'P16', 'P15', 'P14', 'P13', 'P12'],
    ]);
  });

  it('are empty for a table without rows', async () => {
    expect(await donorLines([])).toEqual({ parts: [], of: 0 });
  });
});

describe('histograms of ages', () => {
  it('have the number of donors at each age, and the quartiles', () => {
    const { parts, of } = donorAges(ages(2016, 'C1', { 30: 1, 40: 2, 63: 1, none: 4 }));
    expect([of, parts.length]).toEqual([1, 1]);
    expect(parts[0]).toMatchObject({ known: 4, unknown: 4, middle: { q25: 30, median: 40, q75: 40 } });
    expect([parts[0].donors.length, parts[0].donors[30], parts[0].donors[40], parts[0].donors[63]]).toEqual([
      64, 1, 2, 1,
    ]);
  });

  it('have no quartiles if no donor has an age', () => {
    expect(donorAges(ages(2016, 'C1', { none: 2 })).parts[0]).toMatchObject({ known: 0, unknown: 2, middle: null });
  });

  it('are limited to the nine committees with the most donors, with or without an age', () => {
    const rows = Array.from({ length: 12 }, (_, at) => ages(2016, `C${at}`, { 40: 1, none: at })).flat();
    const { parts, of } = donorAges(rows);
    expect([of, parts.length, MAX_HISTOGRAMS, parts[0].id, parts[8].id]).toEqual([12, 9, 9, 'C11', 'C3']);
  });
});
