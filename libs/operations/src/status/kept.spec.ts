import { Kept } from './kept';

/** Readings that end when they are told to, by number. */
const readings = () => {
  const begun: { readonly end: (value: string) => void; readonly fail: () => void }[] = [];
  const read = () =>
    new Promise<string>((end, reject) => begun.push({ end, fail: () => reject(new Error('it is away')) }));
  return { begun, read };
};
const LONG = 60_000;

describe('what takes long to read', () => {
  it('is read once for all who ask at the same time, and not at all before', async () => {
    const { begun, read } = readings();
    const kept = new Kept(read, LONG);
    expect(begun).toHaveLength(0);
    const asked = Promise.all([kept.within(LONG), kept.within(LONG)]);
    begun[0].end('one');
    expect(await asked).toEqual([
      { value: 'one', error: null },
      { value: 'one', error: null },
    ]);
    expect((await kept.within(LONG)).value).toBe('one');
    expect(begun).toHaveLength(1);
  });

  it('is waited for no longer than one can, and is there for the next', async () => {
    const { begun, read } = readings();
    const kept = new Kept(read, LONG);
    expect(await kept.within(1)).toMatchObject({ value: null, error: { message: 'no answer within 1 ms' } });
    begun[0].end('one');
    expect(await kept.within(LONG)).toEqual({ value: 'one', error: null });
    expect(begun).toHaveLength(1);
  });

  it('is not tried again by whoever comes next where it failed; what was read last is there', async () => {
    const { begun, read } = readings();
    const kept = new Kept(read, LONG);
    const first = kept.within(LONG);
    begun[0].end('one');
    await first;
    kept.forget();
    const second = kept.within(LONG);
    begun[1].fail();
    await second;
    expect(await kept.within(LONG)).toMatchObject({ value: 'one', error: { message: 'it is away' } });
    expect(begun).toHaveLength(2);
  });

  it('is read anew once it is forgotten, and a reading that had begun does not come after it', async () => {
    const { begun, read } = readings();
    const kept = new Kept(read, LONG);
    const before = kept.within(LONG);
    kept.forget();
    const after = kept.within(LONG);
    begun[1].end('new');
    expect((await after).value).toBe('new');
    begun[0].end('old');
    expect((await before).value).toBe('old');
    expect((await kept.within(LONG)).value).toBe('new');
  });

  it('is kept ten times as long as it took to read, and no longer than is said', async () => {
    let now = 0;
    const clock = jest.spyOn(performance, 'now').mockImplementation(() => now);
    const { begun, read } = readings();
    const kept = new Kept(read, 1_000, 30_000);
    const asked = async (): Promise<number> => {
      void kept.within(LONG);
      await Promise.resolve();
      return begun.length;
    };
    const ends = async (at: number): Promise<void> => {
      const last = kept.within(LONG);
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
