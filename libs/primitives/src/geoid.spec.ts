import { fipsOf } from './place';

describe('a county code', () => {
  it('has five digits, and gets back a missing leading zero', () => {
    expect(['06037', '36061', '6037', '1001'].map(fipsOf)).toEqual(['06037', '36061', '06037', '01001']);
  });

  it('rejects other texts', () => {
    expect(['', '037', '0603', '060371', '6 037', '6037.0', '６０３７', 'x6037'].map(fipsOf)).toEqual(
      Array(8).fill(null),
    );
  });
});
