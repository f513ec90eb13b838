import { setTimeout as sleep } from 'node:timers/promises';
import { type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { type Logger } from '@donorlens/observability';
import { ErrorLog } from '@donorlens/queues';
import { type Leadership, type LeadershipTerm } from './leadership';

/** Scheduled work of the leader. Two runs of one task never overlap within a term; different tasks run side by side. */
export interface LeaderTask {
  /** Prefix of the error messages of the task in the log. */
  readonly name: string;
  /** Time from the end of a run to the start of the next one. */
  readonly intervalMs: number;
  /** A longer run is logged once, and its signal aborts, which tasks may observe. Unset: a run may take hours. */
  readonly timeoutMs?: number;
  /**
   * One run. An error is logged, and the delay before the next run grows with each consecutive failure.
   * @returns milliseconds until the next run, if different from `intervalMs`
   */
  run(term: LeadershipTerm): Promise<number | void>;
}

/** DATA_SOURCE cannot be used. The aggregator ends with exit code 3. */
export class UnusableDataSourceError extends Error {}

const UNUSABLE_DATA_SOURCE = 3;
/** Maximum delay before a failed task runs again, unless its interval is longer. */
const MAX_BACKOFF_MS = 2_000;
/** Time for runs in progress to end before the database pool closes. */
const STOP_MS = 5_000;

/** Runs every task for as long as this aggregator is the leader; a standby runs none. */
export class LeaderTaskRunner implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private current: Promise<void> = Promise.resolve();

  constructor(
    private readonly leadership: Leadership,
    private readonly tasks: readonly LeaderTask[],
    private readonly logger: Logger,
  ) {}

  onApplicationBootstrap(): Promise<void> {
    return this.leadership.start((term) => {
      const loops = this.tasks.map((task) => repeat(task, term, this.logger));
      this.current = Promise.all(loops).then(
        () => undefined,
        (error: unknown) => this.exit(error),
      );
    });
  }

  /** Leadership ends the term in the same shutdown phase, which aborts the signal of runs in progress. */
  async beforeApplicationShutdown(): Promise<void> {
    await Promise.race([this.current, sleep(STOP_MS, undefined, { ref: false })]);
  }

  /** Releases the lease first, so that an aggregator restarted with a valid folder becomes the leader at once. */
  private async exit(error: unknown): Promise<void> {
    if (!(error instanceof UnusableDataSourceError)) throw error;
    this.logger.fatal(error.message);
    await this.leadership.beforeApplicationShutdown();
    process.exit(UNUSABLE_DATA_SOURCE);
  }
}

/**
 * Runs a task until the term ends. Starts no run if the term may have expired unnoticed, as in a frozen process.
 * @throws UnusableDataSourceError
 */
export async function repeat(task: LeaderTask, term: LeadershipTerm, logger: Logger): Promise<void> {
  const errors = new ErrorLog(logger, task.name);
  let failures = 0;
  while (!term.signal.aborted) {
    let waitMs = task.intervalMs;
    try {
      if (term.isCurrent()) waitMs = (await runOnce(task, term, logger)) ?? task.intervalMs;
      failures = 0;
    } catch (error) {
      if (error instanceof UnusableDataSourceError) throw error;
      if (term.signal.aborted) return;
      errors.report(error);
      waitMs = backoffMs(task, ++failures);
    }
    await sleep(waitMs, undefined, { signal: term.signal }).catch(() => undefined);
  }
}

const backoffMs = ({ intervalMs }: LeaderTask, failures: number): number =>
  Math.max(intervalMs, Math.min(intervalMs * 2 ** (failures - 1), MAX_BACKOFF_MS));

async function runOnce(task: LeaderTask, term: LeadershipTerm, logger: Logger): Promise<number | void> {
  const { timeoutMs } = task;
  if (timeoutMs === undefined) return task.run(term);
  const run = new AbortController();
  const abort = (): void => run.abort(term.signal.reason);
  const timer = setTimeout(() => {
    logger.warn({ task: task.name, timeoutMs }, `${task.name}: the run takes longer than ${timeoutMs / 1000} s`);
    run.abort(new Error(`${task.name}: timed out`));
  }, timeoutMs);
  term.signal.addEventListener('abort', abort, { once: true });
  try {
    return await task.run({ ...term, signal: run.signal });
  } finally {
    clearTimeout(timer);
    term.signal.removeEventListener('abort', abort);
  }
}
