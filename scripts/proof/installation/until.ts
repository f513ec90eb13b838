import { setTimeout as pause } from 'node:timers/promises';

/** What is not one of the answers for "not yet". */
type Found<T> = Exclude<T, false | null | undefined>;

/** Waits for a state and gives back what was found; asked every 50 ms. */
export async function until<T>(what: string, ask: () => T | Promise<T>, withinMs: number): Promise<Found<T>> {
  const end = performance.now() + withinMs;
  for (;;) {
    const found = await ask();
    if (found) return found as Found<T>;
    if (performance.now() > end) throw new Error(`not within ${Math.round(withinMs / 1000)} s: ${what}`);
    await pause(50);
  }
}
