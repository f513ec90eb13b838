/** The result without the values that mean "not yet". */
type Found<T> = Exclude<T, false | null | undefined>;

const MIN_POLL_MS = 20;
const MAX_POLL_MS = 100;

/**
 * Waits for a state and returns the result of `ask`. Polls less often over time, so that polling does not slow the
 * service down. The timeout only ends a test that hangs.
 */
export async function until<T>(what: string, ask: () => T | Promise<T>, withinMs = 300_000): Promise<Found<T>> {
  const start = performance.now();
  for (;;) {
    const found = await ask();
    if (found) return found as Found<T>;
    const waited = performance.now() - start;
    if (waited > withinMs) throw new Error(`not within ${withinMs} ms: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, Math.min(MIN_POLL_MS + waited / 10, MAX_POLL_MS)));
  }
}
