import { getEventListeners } from 'node:events';
import { Deadline } from './deadline';

const never = new Promise<never>(() => undefined);

it('lets work go on that is done in time', async () => {
  const deadline = new Deadline(60_000);
  expect(await deadline.bound(Promise.resolve(7))).toBe(7);
  expect(deadline.fault()).toBeNull();
  deadline.end();
});

it('is over with its budget', async () => {
  const deadline = new Deadline(10);
  await expect(deadline.bound(never)).rejects.toMatchObject({ code: 'timeout' });
  expect(deadline.fault()).toMatchObject({ code: 'timeout' });
});

it('is over when the caller wishes, also where that was before', async () => {
  const wish = new AbortController();
  const deadline = new Deadline(60_000, wish.signal);
  const bound = deadline.bound(never);
  wish.abort();
  await expect(bound).rejects.toMatchObject({ code: 'aborted' });
  deadline.end();
  const late = new Deadline(60_000, wish.signal);
  await expect(late.bound(never)).rejects.toMatchObject({ code: 'aborted' });
  late.end();
});

it('leaves nothing behind on a signal that outlives many calls, nor a timer', () => {
  const wish = new AbortController();
  const timers = (): number => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;
  const before = timers();
  const deadline = new Deadline(60_000, wish.signal);
  expect(getEventListeners(wish.signal, 'abort')).toHaveLength(1);
  expect(timers()).toBe(before + 1);
  deadline.end();
  expect(getEventListeners(wish.signal, 'abort')).toHaveLength(0);
  expect(timers()).toBe(before);
});
