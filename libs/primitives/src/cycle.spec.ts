import { cycleOfYear, firstDayOfCycle, formatCivilDay, lastDayOfCycle } from './civil-date';

describe('a cycle', () => {
  it('is two years named for the even one that ends them', () => {
    expect([2018, 2019, 2020, 2021].map(cycleOfYear)).toEqual([2018, 2020, 2020, 2022]);
    expect([firstDayOfCycle(2020), lastDayOfCycle(2020)].map(formatCivilDay)).toEqual(['2019-01-01', '2020-12-31']);
  });
});
