import fc from 'fast-check';
import { civilDay, formatCivilDay, parseCivilDay, parseFecDay, yearOf } from './civil-date';

describe('civil dates', () => {
  it('counts days from 1970-01-01', () => {
    expect([civilDay(1970, 1, 1), civilDay(1970, 1, 2), civilDay(1969, 12, 31), civilDay(2000, 3, 1)]).toEqual([
      0, 1, -1, 11_017,
    ]);
  });

  it('reads real dates and rejects impossible ones', () => {
    expect(parseCivilDay('2020-02-29')).toBe(civilDay(2020, 2, 29));
    for (const text of [
      '2019-02-29',
      '2019-02-30',
      '20x0-01-01',
      '2019-13-01',
      '2019-00-10',
      '2019-1-1',
      '0999-12-31',
      '',
      '2019-01-01 ',
    ])
      expect(parseCivilDay(text)).toBeNaN();
  });

  it('reads MMDDYYYY of the FEC files', () => {
    expect(parseFecDay('02292016')).toBe(civilDay(2016, 2, 29));
    expect(parseFecDay('02292017')).toBeNaN();
    expect(parseFecDay('')).toBeNaN();
  });

  it('agrees with the platform calendar for any day', () => {
    fc.assert(
      fc.property(fc.integer({ min: -354_285, max: 2_932_896 }), (day) => {
        const iso = new Date(day * 86_400_000).toISOString().slice(0, 10);
        expect(formatCivilDay(day)).toBe(iso);
        expect(parseCivilDay(iso)).toBe(day);
        expect(yearOf(day)).toBe(Number(iso.slice(0, 4)));
      }),
      { numRuns: 5000 },
    );
  });
});
