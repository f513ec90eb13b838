import pino from 'pino';
import { createLogger } from '@donorlens/observability';
import { until } from '../../../../test/support/until';
import { LeaderTaskRunner, type LeaderTask, UnusableDataSourceError, repeat } from './leader-task-runner';
import { type Leadership, type LeadershipTerm } from './leadership';

const FENCE = { lease: 'aggregator', epoch: '1' };
const silent = createLogger('test', 'silent');

describe('the runner of leader tasks', () => {
  afterEach(() => jest.restoreAllMocks());

  const termUntil = (end: AbortController, isCurrent = () => true): LeadershipTerm => ({
    fence: FENCE,
    signal: end.signal,
    isCurrent,
  });
  const task = (run: LeaderTask['run'], options: Partial<LeaderTask> = {}): LeaderTask => ({
    ...{ name: 'a task', intervalMs: 5, run },
    ...options,
  });

  const lead = async (tasks: readonly LeaderTask[]): Promise<string[]> => {
    const steps: string[] = [];
    const ended = new Promise<void>((resolve) => {
      jest.spyOn(process, 'exit').mockImplementation((code) => {
        steps.push(`exit ${code}`);
        resolve();
        return undefined as never; // the test continues
      });
    });
    const leadership = {
      start: (begin: (term: LeadershipTerm) => void) => Promise.resolve(begin(termUntil(new AbortController()))),
      beforeApplicationShutdown: () => Promise.resolve(void steps.push('lease released')),
    } as unknown as Leadership;
    await new LeaderTaskRunner(leadership, tasks, silent).onApplicationBootstrap();
    await ended;
    return steps;
  };

  it('starts all tasks at once; if the data source is unusable, releases the lease and exits with code 3', async () => {
    const started: string[] = [];
    const waiting = task(({ fence }) => new Promise(() => started.push(fence.epoch)));
    const unusable = task(() => Promise.reject(new UnusableDataSourceError('no such folder')));
    expect(await lead([waiting, unusable, waiting])).toEqual(['lease released', 'exit 3']);
    expect(started).toEqual(['1', '1']);
  });

  it('runs a task again after its interval, one run at a time, until the term ends', async () => {
    const end = new AbortController();
    let runs = 0;
    let running = 0;
    const done = repeat(
      task(async () => {
        expect(++running).toBe(1);
        await new Promise((resolve) => setTimeout(resolve, 10)); // longer than the interval
        running--;
        if (++runs === 3) end.abort();
      }),
      termUntil(end),
      silent,
    );
    await done;
    expect(runs).toBe(3);
  });

  it('waits for the time that a run returns', async () => {
    const end = new AbortController();
    const at: number[] = [];
    await repeat(
      task(() => {
        at.push(performance.now());
        if (at.length === 2) end.abort();
        return Promise.resolve(60);
      }),
      termUntil(end),
      silent,
    );
    expect(at[1] - at[0]).toBeGreaterThan(50);
  });

  it('logs a failure and waits twice as long after each one in a row', async () => {
    const end = new AbortController();
    let log = '';
    const at: number[] = [];
    await repeat(
      task(() => {
        at.push(performance.now());
        if (at.length === 5) end.abort();
        return Promise.reject(new Error('the database does not answer'));
      }),
      termUntil(end),
      pino({}, { write: (line: string) => void (log += line) }),
    );
    const waits = at.slice(1).map((time, i) => time - at[i]);
    [5, 10, 20, 40].forEach((ms, i) => expect(waits[i]).toBeGreaterThanOrEqual(ms - 2));
    expect(log.match(/a task: the database does not answer/g)).toHaveLength(1); // once in 30 s
  });

  it('starts no run in a term that may have expired unnoticed', async () => {
    const end = new AbortController();
    const run = jest.fn(() => Promise.resolve());
    let checks = 0;
    const isCurrent = (): boolean => {
      if (++checks === 3) end.abort();
      return false;
    };
    await repeat(task(run), termUntil(end, isCurrent), silent);
    expect(run).not.toHaveBeenCalled();
  });

  it('aborts and reports a run that takes longer than its timeout, and the runs of a term that ends', async () => {
    const end = new AbortController();
    let log = '';
    const aborted: string[] = [];
    const waiting = task(
      ({ signal }) =>
        new Promise((_, reject) =>
          signal.addEventListener('abort', () => {
            aborted.push(end.signal.aborted ? 'end of the term' : 'timeout');
            reject(signal.reason as Error);
          }),
        ),
      { timeoutMs: 20 },
    );
    const done = repeat(waiting, termUntil(end), pino({}, { write: (line: string) => void (log += line) }));
    await until('a run has timed out', () => aborted.length > 0);
    expect(log).toContain('a task: the run takes longer than 0.02 s');
    const late = repeat({ ...waiting, timeoutMs: 60_000 }, termUntil(end), silent);
    end.abort();
    await Promise.all([done, late]);
    expect([aborted[0], aborted.at(-1)]).toEqual(['timeout', 'end of the term']);
  });

  it('lets runs in progress end when the process is stopped', async () => {
    const end = new AbortController();
    const leadership = {
      start: (begin: (term: LeadershipTerm) => void) => Promise.resolve(begin(termUntil(end))),
    } as unknown as Leadership;
    let hasEnded = false;
    const slow = task(async () => {
      await new Promise((resolve) => setTimeout(resolve, 50));
      hasEnded = true;
    });
    const runner = new LeaderTaskRunner(leadership, [slow], silent);
    await runner.onApplicationBootstrap();
    end.abort();
    await runner.beforeApplicationShutdown();
    expect(hasEnded).toBe(true);
  });
});
