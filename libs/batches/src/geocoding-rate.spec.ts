import { NO_ADDRESSES } from './batch';
import { type Batch } from './batch';
import { GeocodingRate } from './geocoding-rate';

const at = (seconds: number): Date => new Date(1_000_000 + seconds * 1000);
const batch = (pending: number, more: Partial<Batch> = {}): Batch =>
  ({
    id: 'a',
    state: 'running',
    rowsTotal: 20_000,
    tally: { ok: 20_000, partial: 0, not_found: 0, invalid: 0, failed: 0 },
    addresses: { ...NO_ADDRESSES, pending },
    ...more,
  }) as Batch;

describe('the pace at which addresses are located', () => {
  it('is that of the last minute: a fast beginning does not count in a long tail', () => {
    const rate = new GeocodingRate();
    for (let second = 0; second <= 20; second++) rate.of(batch(20_000 - 900 * second), at(second));
    expect(rate.of(batch(2_000), at(20))).toBe(900);
    let last: number | null = null;
    for (let second = 21; second <= 90; second++) last = rate.of(batch(2_000 - (second - 20)), at(second));
    expect(last).toBe(1);
  });

  it('is not known before there are ten seconds to tell it from, nor after a minute without a look', () => {
    const rate = new GeocodingRate();
    expect([0, 5, 9].map((second) => rate.of(batch(1000 - second), at(second)))).toEqual([null, null, null]);
    expect(rate.of(batch(990), at(10))).toBe(1);
    expect(rate.of(batch(500), at(200))).toBeNull();
  });

  it('is none where nothing comes', () => {
    const rate = new GeocodingRate();
    for (let second = 0; second < 60; second++) expect(rate.of(batch(500), at(second))).toBeNull();
  });

  it('is told of each batch, and only while it waits for nothing but addresses', () => {
    const rate = new GeocodingRate();
    const tally = { ok: 10_000, partial: 0, not_found: 0, invalid: 0, failed: 0 };
    rate.of(batch(900, { tally }), at(0)); // addresses known when they come are no pace
    rate.of(batch(800), at(5));
    rate.of(batch(400, { id: 'b' }), at(5));
    expect(rate.of(batch(600, { tally }), at(20))).toBeNull();
    expect(rate.of(batch(200, { id: 'b' }), at(25))).toBe(10);
    expect(rate.of(batch(100, { id: 'b', state: 'completed' }), at(30))).toBeNull();
  });

  it('is kept of no more than a thousand batches, those looked at last', () => {
    const rate = new GeocodingRate();
    rate.of(batch(100, { id: 'first' }), at(0));
    for (let n = 0; n < 999; n++) rate.of(batch(100, { id: `${n}` }), at(1));
    expect(rate.of(batch(80, { id: 'first' }), at(10))).toBe(2);
    rate.of(batch(100, { id: 'one more' }), at(11));
    expect(rate.of(batch(80, { id: '0' }), at(20))).toBeNull();
    expect(rate.of(batch(60, { id: 'first' }), at(20))).toBe(2);
  });
});
