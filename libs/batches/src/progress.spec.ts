import { type Batch, NO_ADDRESSES } from './batch';
import { GeocodingRate, progressOf } from './progress';

const ms = (seconds: number): number => seconds * 1000;
const at = (seconds: number): Date => new Date(1_000_000 + ms(seconds));
const batch = (done: number, more: Partial<Batch> = {}): Batch =>
  ({
    type: 'age_gender',
    rowsTotal: 1000,
    counts: { ok: done, partial: 0, not_found: 0, invalid: 0, failed: 0 },
    addresses: NO_ADDRESSES,
    startedAt: at(0),
    enrichedAt: null,
    geocodedAt: null,
    finishedAt: null,
    ...more,
  }) as Batch;

describe('progress of a batch', () => {
  it('has the rate since its first chunk, and the time left at that rate', () => {
    expect(progressOf(batch(250), at(5), null)).toEqual({
      enriched: { done: 250, total: 1000 },
      geocoded: null,
      share: 0.25,
      rowsPerSecond: 50,
      etaSeconds: 15,
    });
  });

  it('rounds a rate of ten and more to whole rows', () => {
    expect(progressOf(batch(125), at(10), null).rowsPerSecond).toBe(13);
    expect(progressOf(batch(94), at(10), null).rowsPerSecond).toBe(9.4);
  });

  it('is whole for a batch without rows', () => {
    expect(progressOf(batch(0, { rowsTotal: 0 }), at(5), null).share).toBe(1);
  });

  it('has no rate before the first row is enriched', () => {
    expect(progressOf(batch(0, { startedAt: null }), at(5), null)).toMatchObject({
      rowsPerSecond: null,
      etaSeconds: null,
    });
    expect(progressOf(batch(0), at(5), null)).toMatchObject({ rowsPerSecond: null, etaSeconds: null });
  });

  it('has no rate after the end, with nothing left to wait for', () => {
    expect(progressOf(batch(1000, { finishedAt: at(10) }), at(500), null)).toMatchObject({
      rowsPerSecond: null,
      etaSeconds: 0,
    });
  });

  describe('that requests addresses', () => {
    const asking = (done: number, pending: number, more: Partial<Batch> = {}): Batch =>
      batch(done, {
        type: 'contributions',
        addresses: { ...NO_ADDRESSES, skipped: 100, match: done - pending - 100, pending },
        ...more,
      });

    it('counts both stages', () => {
      expect(progressOf(asking(500, 300), at(5), null)).toMatchObject({
        enriched: { done: 500, total: 1000 },
        geocoded: { done: 200, total: 1000 },
        share: 0.35,
      });
    });

    it('has no time left while rows are enriched, since some may wait for addresses', () => {
      expect(progressOf(asking(500, 300), at(5), null)).toMatchObject({ rowsPerSecond: 100, etaSeconds: null });
      expect(progressOf(asking(500, 0), at(5), null)).toMatchObject({ rowsPerSecond: 100, etaSeconds: 5 });
    });

    it('has the rate of its addresses while it waits for them', () => {
      const waiting = asking(1000, 400, { enrichedAt: at(4), geocodedAt: at(25) });
      expect(progressOf(waiting, at(25), 20)).toMatchObject({ rowsPerSecond: 20, etaSeconds: 20 });
      expect(progressOf(waiting, at(25), 0.34)).toMatchObject({ rowsPerSecond: 0.34, etaSeconds: 1177 });
      expect(progressOf(waiting, at(25), null)).toMatchObject({ rowsPerSecond: null, etaSeconds: null });
    });

    it('ends with the last row if no address is pending', () => {
      expect(progressOf(asking(1000, 0), at(5), null)).toMatchObject({ rowsPerSecond: 200, etaSeconds: 0 });
    });

    it('that has completed without some of them has no time left, and shows pending ones', () => {
      expect(progressOf(asking(1000, 400, { enrichedAt: at(4), finishedAt: at(900) }), at(1000), null)).toMatchObject({
        geocoded: { done: 600, total: 1000 },
        share: 0.8,
        etaSeconds: 0,
      });
    });
  });
});

describe('the rate at which addresses are geocoded', () => {
  const batch = (pending: number, more: Partial<Batch> = {}): Batch =>
    ({
      id: 'a',
      state: 'running',
      rowsTotal: 20_000,
      counts: { ok: 20_000, partial: 0, not_found: 0, invalid: 0, failed: 0 },
      addresses: { ...NO_ADDRESSES, pending },
      ...more,
    }) as Batch;

  it('is that of the last minute, not of a fast beginning', () => {
    const rate = new GeocodingRate();
    for (let second = 0; second <= 20; second++) rate.rowsPerSecond(batch(20_000 - 900 * second), ms(second));
    expect(rate.rowsPerSecond(batch(2_000), ms(20))).toBe(900);
    let last: number | null = null;
    for (let second = 21; second <= 90; second++) last = rate.rowsPerSecond(batch(2_000 - (second - 20)), ms(second));
    expect(last).toBe(1);
  });

  it('is unknown before ten seconds of samples and after a minute without one', () => {
    const rate = new GeocodingRate();
    expect([0, 5, 9].map((second) => rate.rowsPerSecond(batch(1000 - second), ms(second)))).toEqual([null, null, null]);
    expect(rate.rowsPerSecond(batch(990), ms(10))).toBe(1);
    expect(rate.rowsPerSecond(batch(500), ms(200))).toBeNull();
  });

  it('is null without outcomes', () => {
    const rate = new GeocodingRate();
    for (let second = 0; second < 60; second++) expect(rate.rowsPerSecond(batch(500), ms(second))).toBeNull();
  });

  it('is given for each batch that waits for addresses only', () => {
    const rate = new GeocodingRate();
    const counts = { ok: 10_000, partial: 0, not_found: 0, invalid: 0, failed: 0 };
    rate.rowsPerSecond(batch(900, { counts }), ms(0)); // addresses with a known outcome do not count
    rate.rowsPerSecond(batch(800), ms(5));
    rate.rowsPerSecond(batch(400, { id: 'b' }), ms(5));
    expect(rate.rowsPerSecond(batch(600, { counts }), ms(20))).toBeNull();
    expect(rate.rowsPerSecond(batch(200, { id: 'b' }), ms(25))).toBe(10);
    expect(rate.rowsPerSecond(batch(100, { id: 'b', state: 'completed' }), ms(30))).toBeNull();
  });

  it('is kept for the last 1,000 requested batches', () => {
    const rate = new GeocodingRate();
    rate.rowsPerSecond(batch(100, { id: 'first' }), ms(0));
    for (let n = 0; n < 999; n++) rate.rowsPerSecond(batch(100, { id: `${n}` }), ms(1));
    expect(rate.rowsPerSecond(batch(80, { id: 'first' }), ms(10))).toBe(2);
    rate.rowsPerSecond(batch(100, { id: 'one more' }), ms(11));
    expect(rate.rowsPerSecond(batch(80, { id: '0' }), ms(20))).toBeNull();
    expect(rate.rowsPerSecond(batch(60, { id: 'first' }), ms(20))).toBe(2);
  });
});
