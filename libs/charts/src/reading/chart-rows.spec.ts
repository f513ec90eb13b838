import { DailySeries } from './chart-rows';

const SERIES = { cycle: 2016, candidateId: 'P00000001', donors: [0, 2, 3], newestOn: '2015-01-05' };
const row = (date: string, donors: number) => ({ cycle: 2016, candidateId: 'P00000001', date, donors });

describe('a daily series', () => {
  it('has a row for each day to the newest contribution and repeats the last number after the last new donor', () => {
    expect([...new DailySeries([SERIES])]).toEqual([
      row('2015-01-01', 0),
      row('2015-01-02', 2),
      row('2015-01-03', 3),
      row('2015-01-04', 3),
      row('2015-01-05', 3),
    ]);
  });

  it('ends with its cycle, which has 731 days if one of its years is a leap year', () => {
    const rows = [...new DailySeries([{ ...SERIES, newestOn: '2017-03-01' }])];
    expect([rows.length, rows.at(-1)]).toEqual([731, row('2016-12-31', 3)]);
  });

  it('ends at the newest contribution of its own office, also after candidates of other offices', () => {
    const senate = { ...SERIES, candidateId: 'S00000001', newestOn: '2015-01-04' };
    const rows = [
      ...new DailySeries([{ ...SERIES, candidateId: 'H00000001', newestOn: '2015-01-06' }, SERIES, senate]),
    ];
    const lastDay = (candidate: string) => rows.filter(({ candidateId }) => candidateId === candidate).at(-1)?.date;
    expect(['H00000001', 'P00000001', 'S00000001'].map(lastDay)).toEqual(['2015-01-06', '2015-01-05', '2015-01-04']);
  });

  it('can be iterated again after an incomplete iteration', () => {
    const series = new DailySeries([SERIES, { ...SERIES, candidateId: 'P00000002' }]);
    for (const { date } of series) if (date === '2015-01-02') break;
    expect([...series]).toHaveLength(10);
  });
});
