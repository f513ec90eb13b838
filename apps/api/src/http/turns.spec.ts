import { type FastifyRequest } from 'fastify';
import { eachInTurn, ITEMS_A_TURN, inPieces, isLongWorkUnderWay, nextTurn } from './turns';

const turn = (): Promise<void> => new Promise((go) => setImmediate(go));

it('long work goes on in one place at a time, and others have a turn between its pieces', async () => {
  const pieces: string[] = [];
  const long = (name: string): Promise<void> =>
    inPieces(3 * ITEMS_A_TURN + 1, (from, to) => pieces.push(`${name} ${from}-${to}`) > 0);
  const both = Promise.all([long('a'), long('b')]);
  const seen: number[] = [];
  while (pieces.length < 8) {
    seen.push(pieces.length);
    await turn();
  }
  await both;
  expect(pieces).toEqual(
    ['0-1000', '1000-2000', '2000-3000', '3000-3001'].flatMap((piece) => [`a ${piece}`, `b ${piece}`]),
  );
  expect(new Set(seen).size).toBeGreaterThanOrEqual(6); // both begin at once; each of the other six pieces was a turn
});

it('what waits for a turn has one, in order, also when the line was empty before', async () => {
  const order: string[] = [];
  const waiting = [1, 2, 3].map((n) => nextTurn().then(() => order.push(`${n}`)));
  await Promise.resolve();
  expect([order, isLongWorkUnderWay()]).toEqual([[], true]);
  for (const end of ['a', 'b', 'c']) await turn().then(() => order.push(end));
  await Promise.all(waiting);
  await nextTurn().then(() => order.push('4'));
  expect([order, isLongWorkUnderWay()]).toEqual([['1', 'a', '2', 'b', '3', 'c', '4'], false]);
});

it('work that has nothing more to do ends with its piece', async () => {
  const froms: number[] = [];
  await inPieces(9 * ITEMS_A_TURN, (from) => froms.push(from) < 2);
  expect(froms).toEqual([0, ITEMS_A_TURN]);
});

describe('those who wait for the same', () => {
  const request = (destroyed = false) => ({ raw: { socket: { destroyed } } }) as FastifyRequest;

  it.each([
    ['an answer', () => turn()],
    ['an error', () => turn().then(() => Promise.reject(new Error('none')))],
  ])('go on one a turn: %s', async (_what, begin) => {
    const shared = begin();
    let went = 0;
    const all = Promise.allSettled([1, 2, 3].map(() => eachInTurn(shared, request()).finally(() => went++)));
    const seen: number[] = [];
    while (went < 3) {
      await turn();
      seen.push(went);
    }
    const ends = (await all).map(({ status }) => status);
    expect(seen.filter((gone) => gone > 0)).toEqual([1, 2, 3]);
    expect(new Set(ends)).toEqual(
      new Set([
        await shared.then(
          () => 'fulfilled',
          () => 'rejected',
        ),
      ]),
    );
  });

  it('do nothing more where nobody waits for them', async () => {
    await expect(eachInTurn(Promise.resolve(1), request(true))).rejects.toThrow('did not wait');
  });

  it('hold up no long work', async () => {
    let went = 0;
    const all = Array.from({ length: 9 }, () => eachInTurn(Promise.resolve(), request()).then(() => went++));
    await turn(); // they stand in line
    await nextTurn();
    expect(went).toBeLessThan(9);
    expect(isLongWorkUnderWay()).toBe(false);
    await Promise.all(all);
  });
});
