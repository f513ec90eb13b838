import { InputPlaces, inPlace } from './input-places';

const settled = async (promise: Promise<unknown>): Promise<boolean> => {
  let is = false;
  promise.then(
    () => (is = true),
    () => (is = true),
  );
  await new Promise((done) => setImmediate(done));
  return is;
};

describe('places of inputs', () => {
  const limits = { all: 3, ofKey: 2, waitMs: 60_000 };

  it('are so many, and so many of one key; who waits enters when one is given back', async () => {
    const places = new InputPlaces(limits);
    const first = await places.take('a');
    await places.take('a');
    const third = places.take('a');
    expect(await settled(third)).toBe(false);
    const other = await places.take('b'); // another key does not wait for this one
    const late = places.take('c');
    expect(await settled(late)).toBe(false);
    first();
    first(); // twice is once
    expect([await settled(third), await settled(late)]).toEqual([true, false]);
    other();
    expect(await settled(late)).toBe(true);
  });

  it('are waited for only so long, and not by a sender who has gone', async () => {
    const places = new InputPlaces({ ...limits, all: 1, waitMs: 1 });
    const giveBack = await places.take('a');
    await expect(places.take('b')).rejects.toMatchObject({ code: 'busy' });
    const patient = new InputPlaces({ ...limits, all: 1 });
    await patient.take('a');
    const sender = new AbortController();
    const waiting = patient.take('b', sender.signal);
    sender.abort();
    await expect(waiting).rejects.toMatchObject({ code: 'aborted' });
    giveBack();
    expect(await settled(places.take('c'))).toBe(true); // who left the line takes none
  });

  it('are taken once, and beyond the first bytes only', async () => {
    const pieces = async function* (...sizes: number[]): AsyncGenerator<Buffer, void> {
      for (const size of sizes) yield await Promise.resolve(Buffer.alloc(size));
    };
    let taken = 0;
    const read = async (...sizes: number[]): Promise<number> => {
      let bytes = 0;
      const take = (): Promise<void> => Promise.resolve(void taken++);
      for await (const { length } of inPlace(pieces(...sizes), 10, take)) bytes += length;
      return bytes;
    };
    expect(await read(5, 5)).toBe(10);
    expect(taken).toBe(0);
    expect(await read(5, 5, 5, 5)).toBe(20);
    expect(taken).toBe(1);
  });
});
