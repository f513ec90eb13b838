/** What is not one of the answers for "not yet". */
type Found<T> = Exclude<T, false | null | undefined>;

/** Waits for a state and gives back what was found; asked every 20 ms. The bound only ends a test that hangs. */
export async function until<T>(what: string, ask: () => T | Promise<T>, withinMs = 15_000): Promise<Found<T>> {
  const end = performance.now() + withinMs;
  for (;;) {
    const found = await ask();
    if (found) return found as Found<T>;
    if (performance.now() > end) throw new Error(`not within ${withinMs} ms: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
