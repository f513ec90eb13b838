import { getEventListeners } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { TimeoutError, withTimeout } from './with-timeout';

const never = (): Promise<never> => new Promise(() => undefined);
const timers = (): number => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;

describe('withTimeout', () => {
  it('returns the result of work that ends in time', async () => {
    expect(await withTimeout(60_000, () => Promise.resolve(7))).toBe(7);
  });

  it('throws what the work throws', async () => {
    await expect(withTimeout(60_000, () => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
  });

  it('throws a TimeoutError at the limit, also if the work ignores its signal', async () => {
    const running = withTimeout(10, never);
    await expect(running).rejects.toThrow(TimeoutError);
    await expect(running).rejects.toThrow('no result within 10 ms');
  });

  it('throws the error that the caller makes, and aborts the signal with it', async () => {
    const error = new Error('queue add: no answer within 10 ms');
    let reason: unknown;
    const work = (signal: AbortSignal): Promise<never> => {
      signal.addEventListener('abort', () => (reason = signal.reason));
      return never();
    };
    await expect(withTimeout(10, work, () => error)).rejects.toBe(error);
    expect(reason).toBe(error);
  });

  it('drops what the work throws after the limit', async () => {
    const late = async (): Promise<never> => {
      await pause(20);
      throw new Error('late');
    };
    await expect(withTimeout(5, late)).rejects.toThrow(TimeoutError);
    await pause(30); // an unhandled rejection would end the process
  });

  it("throws the parent's reason when the parent aborts", async () => {
    const parent = new AbortController();
    const running = withTimeout(60_000, never, undefined, parent.signal);
    parent.abort(new Error('cancelled'));
    await expect(running).rejects.toThrow('cancelled');
  });

  it('does not start work whose parent has already aborted', async () => {
    const work = jest.fn(never);
    await expect(withTimeout(60_000, work, undefined, AbortSignal.abort(new Error('cancelled')))).rejects.toThrow(
      'cancelled',
    );
    expect(work).not.toHaveBeenCalled();
  });

  it('leaves neither a timer nor a listener behind on a parent that outlives many calls', async () => {
    const parent = new AbortController();
    const before = timers();
    let finish: () => void = () => undefined;
    const running = withTimeout(
      60_000,
      () => new Promise<void>((resolve) => (finish = resolve)),
      undefined,
      parent.signal,
    );
    expect(getEventListeners(parent.signal, 'abort')).toHaveLength(1);
    expect(timers()).toBe(before + 1);
    finish();
    await running;
    expect(getEventListeners(parent.signal, 'abort')).toHaveLength(0);
    expect(timers()).toBe(before);
  });
});
