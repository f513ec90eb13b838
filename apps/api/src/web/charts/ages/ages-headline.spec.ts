import { agesProps, SYNTHETIC_AGES } from '../../../../../../test/support/fec-data/synthetic-charts';
import { textOf } from '../../layout/headline';
import { agesHeadline, agesSubtitle } from './ages-headline';

describe('the headline of ages', () => {
  const { facts } = agesProps([]);
  /** All donors are of the median age. */
  const ages = (median: number, cycle = 2016, known = 1200) => ({
    ...SYNTHETIC_AGES[0],
    cycle,
    donors: Array.from({ length: median + 1 }, (_, age) => (age === median ? known : 0)),
    known,
    middle: { q25: median - 5, median, q75: median + 5 },
  });
  type Parts = Parameters<typeof agesProps>[0];
  const chartOfAges = (parts: Parts, of = parts.length) => ({
    ...agesProps(parts, of).chart,
    names: new Map([[SYNTHETIC_AGES[0].id, 'PAT 2016']]),
  });
  const ofAges = (parts: Parts, of = parts.length): string => textOf(agesHeadline(chartOfAges(parts, of), facts));
  const agesOf = (parts: Parts, of = parts.length): string => agesSubtitle(chartOfAges(parts, of));

  it('is which committee has the older donors', () => {
    expect(ofAges([ages(52)])).toBe('Pat 2016’s donors had a median age of 52 in 2016');
    expect(agesOf([ages(52)])).toBe('Half of the 1,200 estimated ages are 47 to 57.');
    const two = [ages(52), ages(60, 2020)];
    expect(ofAges(two)).toBe('Pat 2016’s 2020 donors were older than Pat 2016’s 2016');
    expect(agesOf(two)).toBe(
      'Median estimated age: Pat 2016 (2020) 60 (1,200 donors), Pat 2016 (2016) 52 (1,200 donors).',
    );
    expect(ofAges([{ ...ages(52), middle: null }])).toBe('Pat 2016’s donors have no estimated age in 2016');
  });

  it('names candidates where each committee is the principal committee of one', () => {
    const parts = [
      { ...ages(53), id: 'C1' },
      { ...ages(48, 2016, 300), id: 'C2' },
    ];
    const chart = {
      ...agesProps(parts).chart,
      names: new Map([
        ['C1', 'HILLARY FOR AMERICA'],
        ['C2', 'BERNIE 2016'],
        ['P1', 'CLINTON, HILLARY RODHAM / TIMOTHY MICHAEL KAINE'],
        ['P2', 'SANDERS, BERNARD'],
      ]),
    };
    const candidates = new Map([
      ['C1', 'P1'],
      ['C2', 'P2'],
    ]);
    expect(textOf(agesHeadline({ ...chart, candidates }, facts))).toBe(
      'Hillary Clinton’s donors were older than Bernard Sanders’s in 2016',
    );
    expect(agesSubtitle({ ...chart, candidates })).toBe(
      'Median estimated age: Hillary Clinton 53 (1,200 donors), Bernard Sanders 48 (300 donors).',
    );
    const hillary = 'Hillary for America’s donors were older than Bernie 2016’s in 2016';
    expect(textOf(agesHeadline(chart, facts))).toBe(hillary);
    expect(textOf(agesHeadline({ ...chart, candidates: new Map([['C1', 'P1']]) }, facts))).toBe(hillary);
    expect(textOf(agesHeadline({ ...chart, candidates: new Map([...candidates, ['C2', 'P1']]) }, facts))).toBe(hillary);
  });

  it('says which committees are compared if not all matches are', () => {
    expect(agesOf([ages(52), ages(60)])).not.toContain('Compared');
    expect(agesOf([ages(52), ages(60)], 17)).toMatch(/ Compared: the 2 committees with the most donors\.$/);
    for (const all of [3, 17])
      expect(agesOf([ages(52), ages(60, 2020), ages(20, 2020, 99)], all)).toMatch(
        /^Median estimated age: .* 60 .*, .* 52 .*\. Compared: 2 committees with at least 100 estimated ages\.$/,
      );
  });

  it('names all committees with the same median, or counts them', () => {
    const of = (median: number, at: number) => ({ ...ages(median, 2016, 1200 + at), id: `C${at}` });
    expect(ofAges([of(52, 1), of(52, 2)])).toBe('C1’s and C2’s donors had the same median age in 2016');
    expect(ofAges([of(60, 1), of(52, 2), of(60, 3), of(60, 4)])).toBe(
      'C1’s, C3’s and C4’s donors were the oldest in 2016, C2’s the youngest',
    );
    expect(ofAges([of(60, 1), ...[2, 3, 4, 5].map((at) => of(52, at))], 17)).toBe(
      'C1’s donors were the oldest in 2016, 4 committees’ the youngest',
    );
  });

  it('does not rank medians whose 95 % intervals overlap', () => {
    const of = (median: number, margin: number, at: number) => {
      const interval = { low: median - margin, high: median + margin };
      const part = ages(median);
      return { ...part, id: `C${at}`, middle: { ...part.middle, interval } };
    };
    expect(ofAges([of(54, 2, 1), of(52, 2, 2)])).toBe('C1’s and C2’s donors had similar median ages in 2016');
    expect(ofAges([of(54, 1, 1), of(52, 1, 2)])).toBe('C1’s and C2’s donors had similar median ages in 2016');
    expect(ofAges([of(55, 1, 1), of(52, 1, 2)])).toBe('C1’s donors were older than C2’s in 2016');
    expect(ofAges([of(60, 2, 1), of(57, 2, 2), of(50, 2, 3)])).toBe(
      'C1’s and C2’s donors were the oldest in 2016, C3’s the youngest',
    );
    expect(ofAges([of(58, 2, 1), of(55, 2, 2), of(52, 2, 3)])).toBe(
      '3 committees’ donors had median ages from 52 to 58 in 2016',
    );
    expect(ofAges([of(52, 2, 1), of(52, 3, 2)])).toBe('C1’s and C2’s donors had the same median age in 2016');
    expect(agesOf([of(54, 2, 1), of(52, 2, 2)])).toBe(
      'Median estimated age: C1 54 (95% interval 52 to 56, 1,200 donors), C2 52 (95% interval 50 to 54, 1,200 donors).',
    );
  });

  it('estimates an interval from the number of donors where none is stored', () => {
    const of = (youngest: number, known: number, at: number) => {
      const donors = Array.from({ length: youngest + 40 }, (_, age) => (age < youngest ? 0 : known / 40));
      return { ...ages(youngest + 19, 2016, known), donors, id: `C${at}` };
    };
    expect(ofAges([of(40, 400, 1), of(37, 400, 2)])).toBe('C1’s and C2’s donors had similar median ages in 2016');
    expect(ofAges([of(40, 4000, 1), of(37, 4000, 2)])).toBe('C1’s donors were older than C2’s in 2016');
  });

  it('says that contributions may be missing', () => {
    const incomplete = { ...facts, imports: { ...facts.imports, hasSample: false } };
    const headline = (parts: Parts): string => textOf(agesHeadline(chartOfAges(parts), incomplete));
    expect(headline([ages(52)])).toBe('Pat 2016’s donors had a median age of 52 in loaded 2016 data');
    expect(headline([ages(52), { ...ages(60), id: 'C1' }])).toBe(
      'C1’s donors were older than Pat 2016’s in loaded 2016 data',
    );
    expect(headline([ages(52), ages(60, 2020)])).toBe(
      'Pat 2016’s 2020 donors were older than Pat 2016’s 2016 in loaded data',
    );
  });

  it('does not compare medians of fewer than 100 donors', () => {
    const small = { ...ages(60, 2020, 99), unknown: 5000 };
    const one = 'Pat 2016’s 2016 donors had median age 52, Pat 2016’s 2020 are too few';
    expect(ofAges([ages(52, 2016, 100), small])).toBe(one);
    expect(ofAges([{ ...small, middle: null }, ages(52, 2016, 100)])).toBe(one);
    expect(agesOf([ages(52, 2016, 100), small])).toBe(
      'Comparisons need at least 100 estimated ages of each committee.',
    );
    expect(ofAges([ages(52, 2016, 99), { ...ages(60, 2016, 98), id: 'C1' }])).toBe(
      'Pat 2016’s and C1’s donors are too few to compare in 2016',
    );
  });

  it('counts committees whose names make it too long', () => {
    const names = new Map(['C1', 'C2'].map((id) => [id, 'HILLARY ACTION FUND OF THE FIFTY STATES, INC.']));
    const ofLong = (...known: number[]): string => {
      const parts = known.map((one, at) => ({ ...ages(50 + at, 2016, one), id: `C${at + 1}` }));
      return textOf(agesHeadline({ ...agesProps(parts).chart, names }, facts));
    };
    expect(ofLong(1200, 1200)).toBe('2 committees’ donors had median ages from 50 to 51 in 2016');
    expect(ofLong(1200, 99)).toBe('Only one of 2 committees has at least 100 estimated ages in 2016');
    expect(ofLong(99, 99)).toBe('2 committees’ donors are too few to compare in 2016');
    const cycles = [2016, 2020].map((cycle) => ({ ...ages(50, cycle, 99), id: 'C1' }));
    expect(textOf(agesHeadline({ ...agesProps(cycles).chart, names }, facts))).toBe(
      '2 cycles’ donors are too few to compare',
    );
  });
});
