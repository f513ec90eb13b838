import { setTimeout as sleep } from 'node:timers/promises';
import { type RunningApi } from './running-api';

/** Does what workers would do, until something that waits for it has ended. */
export async function workUntil<T>(api: RunningApi, waiting: Promise<T>): Promise<T> {
  let isOver = false;
  const over = waiting.finally(() => (isOver = true));
  over.catch(() => undefined); // thrown by the last line
  while (!isOver) {
    await api.work();
    await sleep(20);
  }
  return over;
}
