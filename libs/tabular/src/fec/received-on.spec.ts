import { formatCivilDay } from '@donorlens/primitives';
import { cycleOf, receivedOn } from './field-values';

describe('the day of a contribution', () => {
  it.each([
    ['02292016', 2016, '2016-02-29'],
    ['12312014', 2016, '2014-12-31'],
    ['01012019', 2020, '2019-01-01'],
    ['01011975', 2016, '1975-01-01'],
    ['12312018', 2016, '2018-12-31'],
  ])('%s in a file of %d is %s', (text, cycle, day) => {
    expect(formatCivilDay(receivedOn(text, cycle))).toBe(day);
  });

  it.each(['', '02302016', '02292015', '13012016', '00012016', '2016', '2016-03-1', '20160301', 'ABCDEFGH'])(
    '%j is none',
    (text) => {
      expect(receivedOn(text, 2016)).toBeNaN();
    },
  );

  it('is invalid before the first cycle, and more than one cycle after the file', () => {
    expect(receivedOn('12311974', 2016)).toBeNaN();
    expect(receivedOn('01012019', 2016)).toBeNaN();
    expect(receivedOn('01012106', 2016)).toBeNaN();
  });

  it('has the cycle of its even year; without a date it is that of the file', () => {
    expect(cycleOf(receivedOn('12312014', 2016), 2016)).toBe(2014);
    expect(cycleOf(receivedOn('01012015', 2016), 2016)).toBe(2016);
    expect(cycleOf(receivedOn('01012017', 2016), 2016)).toBe(2018);
    expect(cycleOf(receivedOn('02302014', 2016), 2016)).toBe(2016);
    expect(cycleOf(NaN, 2020)).toBe(2020);
  });
});
