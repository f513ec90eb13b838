import { setTimeout as sleep } from 'node:timers/promises';
import { type RunningApi } from '../service/running-api';

/** Processes waiting chunks, like workers, until `waiting` is settled. */
export async function workUntil<T>(api: RunningApi, waiting: Promise<T>): Promise<T> {
  let isOver = false;
  const over = waiting.finally(() => (isOver = true));
  over.catch(() => undefined); // the last line throws the error
  while (!isOver) {
    await api.work();
    await sleep(20);
  }
  return over;
}
