import { retryText } from './retry';

const NONE = { outcome: 'NO_MATCH', asked: 0, asking: 0, later: 0, other: 0 } as const;

describe('the text of a retry', () => {
  it('is one line if all addresses are requested now', () => {
    expect(retryText(NONE, false)).toEqual(['no address with NO_MATCH is geocoded again now']);
    expect(retryText({ ...NONE, outcome: 'ERROR', asked: 1 }, false)).toEqual([
      '1 address with ERROR is geocoded again now',
    ]);
    expect(retryText({ ...NONE, asked: 1200 }, true)).toEqual([
      '1,200 addresses with NO_MATCH would be geocoded again now',
    ]);
  });

  it('counts the addresses that are not requested now, with the reason', () => {
    expect(retryText({ outcome: 'TIE', asked: 2, asking: 3, later: 4, other: 1 }, false)).toEqual([
      '2 addresses with TIE are geocoded again now',
      '3 addresses: already being geocoded again',
      '4 addresses: geocoded again when they are submitted again, because no stored batch has them',
      'of these, 1 in a stored batch was hashed with another benchmark or vintage than GEOCODER_BENCHMARK and GEOCODER_VINTAGE say',
    ]);
  });
});
