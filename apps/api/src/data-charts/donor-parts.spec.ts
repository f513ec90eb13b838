import { donorAges, MOST_HISTOGRAMS } from './donor-ages';
import { donorLines, MOST_LINES } from './donor-lines';
import { type TableRow } from './table-text';

const days = (cycle: number, id: string, donors: readonly number[]): TableRow[] =>
  donors.map((people, at) => [cycle, id, `${cycle - 1}-01-0${at + 1}`, people]);
const ages = (cycle: number, id: string, donors: Readonly<Record<string, number>>): TableRow[] =>
  Object.entries(donors).map(([age, people]) => [cycle, id, age === 'none' ? '' : Number(age), people, 0, '0.00']);

describe('what is drawn of cumulative donors', () => {
  it('is a line for each candidate and cycle, the one with the most donors first, of equal ones the first', async () => {
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

  it('is at most eight lines, and says of how many', async () => {
    const rows = Array.from({ length: 20 }, (_, at) => days(2016, `P${at}`, [at])).flat();
    const { parts, of } = await donorLines(rows);
    expect([of, MOST_LINES, parts.map(({ id }) => id)]).toEqual([
      20,
      8,
      ['P19', 'P18', 'P17', 'P16', 'P15', 'P14', 'P13', 'P12'],
    ]);
  });

  it('is nothing of a file without lines', async () => {
    expect(await donorLines([])).toEqual({ parts: [], of: 0 });
  });
});

describe('what is drawn of ages', () => {
  it('is the number at each age, with the ages up to which a quarter, half and three quarters of the donors are', () => {
    const { parts, of } = donorAges(ages(2016, 'C1', { 30: 1, 40: 2, 63: 1, none: 4 }));
    expect([of, parts.length]).toEqual([1, 1]);
    expect(parts[0]).toMatchObject({ known: 4, unknown: 4, middle: { q25: 30, median: 40, q75: 40 } });
    expect([parts[0].donors.length, parts[0].donors[30], parts[0].donors[40], parts[0].donors[63]]).toEqual([
      64, 1, 2, 1,
    ]);
  });

  it('has no middle where nobody has an age', () => {
    expect(donorAges(ages(2016, 'C1', { none: 2 })).parts[0]).toMatchObject({ known: 0, unknown: 2, middle: null });
  });

  it('is at most nine histograms of the committees with the most donors, with an age or without', () => {
    const rows = Array.from({ length: 12 }, (_, at) => ages(2016, `C${at}`, { 40: 1, none: at })).flat();
    const { parts, of } = donorAges(rows);
    expect([of, parts.length, MOST_HISTOGRAMS, parts[0].id, parts[8].id]).toEqual([12, 9, 9, 'C11', 'C3']);
  });
});
