import fc from 'fast-check';
import { until } from '../../../../test/support/until';
import { Backoff, type Run, type RunEnd, Supervisor } from './supervisor';

describe('the supervisor', () => {
  const log: string[] = [];
  const runs: { end: (end: RunEnd) => void }[] = [];
  const fail = (): never => {
    throw new Error('ENOSPC: no space left on device, write');
  };
  const start = (): Promise<Run> => {
    let end: (end: RunEnd) => void = () => undefined;
    const ended = new Promise<RunEnd>((resolve) => (end = resolve));
    const stop = () => Promise.resolve(end({ code: 0, signal: null }));
    return Promise.resolve({ pid: runs.push({ end }), ended, stop });
  };
  beforeEach(() => void (log.length = runs.length = 0));

  it('starts a process once if its process id cannot be stored, and logs the reason', async () => {
    const supervisor = new Supervisor((_level, message) => log.push(message), fail);
    await supervisor.startServer({ name: 'redis', start, started: fail });
    runs[0]?.end({ code: 1, signal: null });
    await until('the second run is logged', () => log.some((line) => line.includes('restarted')));
    expect(runs).toHaveLength(2);
    expect(supervisor.processes()).toEqual({ redis: 2 });
    const notStored = 'redis runs, but its process id could not be stored: ENOSPC: no space left on device, write';
    expect(log).toEqual([
      ...[notStored, notStored, expect.stringMatching(/^redis ended \(exit code 1\); restarting in \d+ ms$/)],
      ...[notStored, notStored, 'redis restarted (pid 2)'],
    ]);
    await supervisor.stop();
  });

  it('starts nothing after it was stopped', async () => {
    const supervisor = new Supervisor((_level, message) => log.push(message));
    await supervisor.stop();
    await expect(supervisor.startServer({ name: 'redis', start })).rejects.toThrow('redis was not started');
    await expect(supervisor.startRole({ name: 'api', start }, () => true)).rejects.toThrow('api was not started');
    expect(runs).toEqual([]);
  });
});

describe('the wait before a restart', () => {
  const waits = (backoff: Backoff): number[] => Array.from({ length: 7 }, () => backoff.next(0));

  it('doubles from a quarter of a second up to ten seconds, or a given limit', () => {
    expect(waits(new Backoff())).toEqual([250, 500, 1000, 2000, 4000, 8000, 10_000]);
    expect(waits(new Backoff(3_000))).toEqual([250, 500, 1000, 2000, 3000, 3000, 3000]);
  });

  it('is 0 after a run of ten seconds', () => {
    const backoff = new Backoff();
    [1, 2, 3].forEach((ms) => backoff.next(ms));
    expect(backoff.next(10_000)).toBe(0);
    expect(backoff.next(0)).toBe(250);
  });

  it('is counted from the last start', () => {
    const backoff = new Backoff();
    expect([100, 100, 1_000, 300].map((ms) => backoff.next(ms))).toEqual([150, 400, 0, 1_700]);
  });

  it('never exceeds the limit between two starts, unless the process ran for longer', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(20_000)), (runs) => {
        const backoff = new Backoff(3_000);
        for (const ranMs of runs) {
          const waitMs = backoff.next(ranMs);
          expect(waitMs).toBeGreaterThanOrEqual(Math.max(0, 250 - ranMs));
          expect(waitMs).toBeLessThanOrEqual(Math.max(0, 3_000 - ranMs));
        }
      }),
    );
  });
});
