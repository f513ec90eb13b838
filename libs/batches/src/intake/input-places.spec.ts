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

  it('are taken beyond the first bytes only, and given back however reading ends', async () => {
    const places = new InputPlaces({ ...limits, all: 1 });
    const pieces = async function* (...sizes: number[]): AsyncGenerator<Buffer, void> {
      for (const size of sizes) yield await Promise.resolve(Buffer.alloc(size));
    };
    let taken = 0;
    const take = (): Promise<() => void> => {
      taken++;
      return places.take('a');
    };
    const read = async (most: number, ...sizes: number[]): Promise<void> => {
      let left = most;
      for await (const { length } of inPlace(pieces(...sizes), 10, take)) if (length === 0 || --left === 0) break;
    };
    await read(9, 5, 5);
    expect(taken).toBe(0);
    await read(9, 5, 5, 5, 5);
    await read(1, 11, 5);
    expect(taken).toBe(2);
    expect(await settled(places.take('b'))).toBe(true);
  });
});
