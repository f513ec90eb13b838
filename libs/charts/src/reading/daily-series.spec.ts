import { DailySeries } from './daily-series';

const SERIES = { cycle: 2016, candidateId: 'P00000001', donors: [0, 2, 3], newestOn: '2015-01-05' };

describe('a daily series', () => {
  it('has a line for each day to the newest contribution, and repeats the last number', () => {
    expect([...new DailySeries([SERIES])]).toEqual([
      [2016, 'P00000001', '2015-01-01', 0],
      [2016, 'P00000001', '2015-01-02', 2],
      [2016, 'P00000001', '2015-01-03', 3],
      [2016, 'P00000001', '2015-01-04', 3],
      [2016, 'P00000001', '2015-01-05', 3],
    ]);
  });

  it('ends with its cycle, which has 731 days where it has a leap day', () => {
    const lines = [...new DailySeries([{ ...SERIES, newestOn: '2017-03-01' }])];
    expect([lines.length, lines.at(-1)]).toEqual([731, [2016, 'P00000001', '2016-12-31', 3]]);
  });

  it('can be read again, and cut short', () => {
    const series = new DailySeries([SERIES, { ...SERIES, candidateId: 'P00000002' }]);
    for (const line of series) if (line[2] === '2015-01-02') break;
    expect([...series]).toHaveLength(10);
  });
});
