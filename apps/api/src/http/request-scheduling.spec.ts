import { type FastifyRequest } from 'fastify';
import { awaitShared, isLongWorkWaiting, yieldToEventLoop } from './request-scheduling';

const iteration = (): Promise<void> => new Promise((go) => setImmediate(go));

it('long work resumes one piece per iteration of the event loop, with other work in between', async () => {
  const pieces: string[] = [];
  const long = async (name: string): Promise<void> => {
    for (let piece = 0; piece < 4; piece++) {
      if (piece > 0) await yieldToEventLoop();
      pieces.push(`${name} ${piece}`);
    }
  };
  const both = Promise.all([long('a'), long('b')]);
  const seen: number[] = [];
  while (pieces.length < 8) {
    seen.push(pieces.length);
    await iteration();
  }
  await both;
  expect(pieces).toEqual([0, 1, 2, 3].flatMap((piece) => [`a ${piece}`, `b ${piece}`]));
  expect(new Set(seen).size).toBeGreaterThanOrEqual(6); // six of the eight pieces take an iteration each
});

it('callers resume in order, even after the queue was empty', async () => {
  const order: string[] = [];
  const waiting = [1, 2, 3].map((n) => yieldToEventLoop().then(() => order.push(`${n}`)));
  await Promise.resolve();
  expect([order, isLongWorkWaiting()]).toEqual([[], true]);
  for (const end of ['a', 'b', 'c']) await iteration().then(() => order.push(end));
  await Promise.all(waiting);
  await yieldToEventLoop().then(() => order.push('4'));
  expect([order, isLongWorkWaiting()]).toEqual([['1', 'a', '2', 'b', '3', 'c', '4'], false]);
});

describe('requests that wait for one result', () => {
  const request = (destroyed = false) => ({ raw: { socket: { destroyed } } }) as FastifyRequest;

  it.each([
    ['a result', () => iteration()],
    ['an error', () => iteration().then(() => Promise.reject(new Error('none')))],
  ])('resume one per iteration: %s', async (_what, begin) => {
    const shared = begin();
    let went = 0;
    const all = Promise.allSettled([1, 2, 3].map(() => awaitShared(shared, request()).finally(() => went++)));
    const seen: number[] = [];
    while (went < 3) {
      await iteration();
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

  it('fail if the client has disconnected', async () => {
    await expect(awaitShared(Promise.resolve(1), request(true))).rejects.toThrow('disconnected');
  });

  it('do not delay long work', async () => {
    let went = 0;
    const all = Array.from({ length: 9 }, () => awaitShared(Promise.resolve(), request()).then(() => went++));
    await iteration(); // now they are queued
    await yieldToEventLoop();
    expect(went).toBeLessThan(9);
    expect(isLongWorkWaiting()).toBe(false);
    await Promise.all(all);
  });
});
