import { ConsecutiveBreaker, circuitBreaker, handleAll } from 'cockatiel';
import { circuitOf, nextTryAt } from './circuit';

/** What a circuit breaker stores after so many failures in a row. */
async function storedAfter(failures: number): Promise<unknown> {
  const breaker = circuitBreaker(handleAll, { halfOpenAfter: 30_000, breaker: new ConsecutiveBreaker(2) });
  for (let i = 0; i < failures; i++) await breaker.execute(() => Promise.reject(new Error())).catch(() => undefined);
  return JSON.parse(JSON.stringify(breaker.toJSON()));
}
const at = (ms: number): Date => new Date(ms);

describe('the stored circuit', () => {
  it('is closed where nothing is stored, and after fewer failures than open it', async () => {
    expect(circuitOf(null, null).circuit).toBe('closed');
    expect(circuitOf(await storedAfter(1), at(5)).circuit).toBe('closed');
    expect(nextTryAt(circuitOf(await storedAfter(1), null), at(0))).toBeNull();
  });

  it('is open after enough of them, and tried again 30 s later', async () => {
    const before = Date.now();
    const circuit = circuitOf(await storedAfter(2), at(0));
    expect(circuit.circuit).toBe('open');
    const next = nextTryAt(circuit, at(before))?.getTime() ?? 0;
    expect(next).toBeGreaterThanOrEqual(before + 30_000);
    expect(next).toBeLessThanOrEqual(Date.now() + 30_000);
  });

  const open = { ownState: { value: 1, openedAt: 100_000, attemptNo: 1 } };

  it('is being probed from the moment a call is let through until that has failed', () => {
    expect(circuitOf(open, at(99_999)).circuit).toBe('open');
    expect(circuitOf(open, at(131_000)).circuit).toBe('probing');
    expect(circuitOf({ ownState: { ...open.ownState, openedAt: 132_000 } }, at(131_000)).circuit).toBe('open');
  });

  it('is tried again 30 s after the last try, and at once where that is over', () => {
    expect(nextTryAt(circuitOf(open, at(131_000)), at(140_000))).toEqual(at(161_000));
    expect(nextTryAt(circuitOf(open, null), at(140_000))).toBeNull();
  });
});
