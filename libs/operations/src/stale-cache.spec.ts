import { StaleCache } from './stale-cache';

/** Reads that end on command, by number. */
const readings = () => {
  const begun: { readonly end: (value: string) => void; readonly fail: () => void }[] = [];
  const read = () =>
    new Promise<string>((end, reject) => begun.push({ end, fail: () => reject(new Error('it is away')) }));
  return { begun, read };
};
const LONG = 60_000;

describe('a value that takes long to read', () => {
  it('is read once for all simultaneous callers, and not before the first', async () => {
    const { begun, read } = readings();
    const cache = new StaleCache(read, LONG);
    expect(begun).toHaveLength(0);
    const asked = Promise.all([cache.get(LONG), cache.get(LONG)]);
    begun[0].end('one');
    expect(await asked).toEqual([
      { value: 'one', error: null },
      { value: 'one', error: null },
    ]);
    expect((await cache.get(LONG)).value).toBe('one');
    expect(begun).toHaveLength(1);
  });

  it('is waited for up to the limit of the caller, and is available for the next one', async () => {
    const { begun, read } = readings();
    const cache = new StaleCache(read, LONG);
    expect(await cache.get(1)).toMatchObject({ value: null, error: { message: 'no answer within 1 ms' } });
    begun[0].end('one');
    expect(await cache.get(LONG)).toEqual({ value: 'one', error: null });
    expect(begun).toHaveLength(1);
  });

  it('is not read again by the next caller after a failure; the last value is returned', async () => {
    const { begun, read } = readings();
    const cache = new StaleCache(read, LONG);
    const first = cache.get(LONG);
    begun[0].end('one');
    await first;
    cache.invalidate();
    const second = cache.get(LONG);
    begun[1].fail();
    await second;
    expect(await cache.get(LONG)).toMatchObject({ value: 'one', error: { message: 'it is away' } });
    expect(begun).toHaveLength(2);
  });

  it('is read again after invalidation, and an earlier read does not overwrite it', async () => {
    const { begun, read } = readings();
    const cache = new StaleCache(read, LONG);
    const before = cache.get(LONG);
    cache.invalidate();
    const after = cache.get(LONG);
    begun[1].end('new');
    expect((await after).value).toBe('new');
    begun[0].end('old');
    expect((await before).value).toBe('old');
    expect((await cache.get(LONG)).value).toBe('new');
  });

  it('stays valid ten times as long as it took to read, up to the limit', async () => {
    let now = 0;
    const clock = jest.spyOn(performance, 'now').mockImplementation(() => now);
    const { begun, read } = readings();
    const cache = new StaleCache(read, 1_000, 30_000);
    const asked = async (): Promise<number> => {
      void cache.get(LONG);
      await Promise.resolve();
      return begun.length;
    };
    const ends = async (at: number): Promise<void> => {
      const last = cache.get(LONG);
      now = at;
      begun[begun.length - 1].end('read');
      await last;
    };
    await ends(2_000);
    now = 21_999;
    expect(await asked()).toBe(1);
    now = 22_000;
    expect(await asked()).toBe(2);
    await ends(72_000);
    now = 101_999;
    expect(await asked()).toBe(2);
    now = 102_000;
    expect(await asked()).toBe(3);
    clock.mockRestore();
  });
});
