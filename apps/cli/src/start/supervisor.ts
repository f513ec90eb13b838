import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf } from '../exit-code';

type Log = (level: 'info' | 'warn', message: string) => void;

/** Restarts child processes of `donorlens start` that exit: the servers and the roles that use them. */
export class Supervisor {
  private readonly servers: SupervisedProcess[] = [];
  private readonly roles: SupervisedProcess[] = [];
  private isStopped = false;

  /** @param onStarted - called after each start or restart of a process, which changes its pid */
  constructor(
    private readonly log: Log,
    private readonly onStarted: () => void = () => undefined,
  ) {}

  /** Current process ids by name. */
  processes(): Record<string, number> {
    const running = [...this.servers, ...this.roles].filter(({ pid }) => pid !== undefined);
    return Object.fromEntries(running.map(({ name, pid }) => [name, pid ?? -1]));
  }

  startServer(unit: SupervisedUnit): Promise<void> {
    return this.start(this.servers, unit);
  }

  /** @param shouldRestart - called each time the role exits */
  startRole(unit: SupervisedUnit, shouldRestart: (end: RunEnd) => boolean): Promise<void> {
    return this.start(this.roles, unit, shouldRestart);
  }

  /**
   * Stops the roles before the servers, because the roles need the servers to finish. From then on, nothing can be
   * started. `force` kills the roles.
   */
  async stop(force = false): Promise<void> {
    this.isStopped = true;
    await Promise.all(this.roles.map((role) => role.stop(force)));
    await Promise.all(this.servers.map((server) => server.stop(force)));
  }

  private async start(
    group: SupervisedProcess[],
    unit: SupervisedUnit,
    shouldRestart?: (end: RunEnd) => boolean,
  ): Promise<void> {
    if (this.isStopped) throw new Error(`${unit.name} was not started, because the supervisor has been stopped`);
    const supervised = new SupervisedProcess(unit, { shouldRestart, onStarted: this.onStarted, log: this.log });
    group.push(supervised);
    await supervised.start();
  }
}

/** One run of a supervised process. */
export interface Run {
  readonly pid: number | undefined;
  /** Resolves with the exit code or signal when the process has exited. Never rejects. */
  readonly ended: Promise<RunEnd>;
  /** Stops the process; resolves after its exit. */
  stop(force: boolean): Promise<void>;
}
export interface RunEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** A process that the supervisor can start repeatedly. */
export interface SupervisedUnit {
  readonly name: string;
  /** Longest wait before a restart. */
  readonly maxRestartMs?: number;
  start(): Promise<Run>;
  /** Called after each start. An error is logged, and the process goes on. */
  started?(): void;
}

interface SupervisedEvents {
  /** If undefined, the process is always restarted. */
  readonly shouldRestart?: (end: RunEnd) => boolean;
  readonly onStarted: () => void;
  readonly log: Log;
}

export const exitReason = ({ code, signal }: RunEnd): string => (signal ? `killed by ${signal}` : `exit code ${code}`);

/** Restarts one process with exponential backoff until `stop` is called. */
class SupervisedProcess {
  private run: Promise<Run | null> = Promise.resolve(null);
  private runningPid: number | undefined;
  private readonly stopped = new AbortController();
  private loop: Promise<void> = Promise.resolve();

  constructor(
    private readonly unit: SupervisedUnit,
    private readonly events: SupervisedEvents,
    private readonly backoff = new Backoff(unit.maxRestartMs),
  ) {}

  get name(): string {
    return this.unit.name;
  }
  /** Process id of the current run. */
  get pid(): number | undefined {
    return this.runningPid;
  }

  /** Starts the process for the first time. Rejects if that fails; only later failures are retried. */
  async start(): Promise<void> {
    this.loop = this.restartUntilStopped(await this.launch());
  }

  /** Stops the process, even while it starts. A second call with `force` kills it. */
  async stop(force = false): Promise<void> {
    this.stopped.abort();
    const run = await this.run.catch(() => null);
    await run?.stop(force);
    await this.loop;
  }

  private async launch(): Promise<Run> {
    const run = this.unit.start();
    this.run = run;
    const { pid } = await run;
    this.runningPid = pid;
    this.recordStart(() => this.unit.started?.());
    this.recordStart(this.events.onStarted);
    return run;
  }

  /**
   * No process needs the files that are written after its start. An error, for example of a full disk, must not count
   * as a failed start: the process runs, and would be started a second time.
   */
  private recordStart(record: () => void): void {
    try {
      record();
    } catch (error) {
      this.events.log('warn', `${this.name} runs, but its process id could not be stored: ${messageOf(error)}`);
    }
  }

  private async restartUntilStopped(first: Run): Promise<void> {
    let run: Run | null = first;
    while (!this.stopped.signal.aborted) {
      const startedAt = performance.now();
      const end = run ? await run.ended : { code: null, signal: null };
      if (this.stopped.signal.aborted) return;
      if (run && this.events.shouldRestart?.(end) === false) return;
      const waitMs = this.backoff.next(performance.now() - startedAt);
      if (run) this.events.log('warn', `${this.name} ended (${exitReason(end)}); restarting in ${waitMs} ms`);
      run = await this.startAfter(waitMs);
    }
  }

  private async startAfter(waitMs: number): Promise<Run | null> {
    try {
      await sleep(waitMs, undefined, { signal: this.stopped.signal });
      const run = await this.launch();
      this.events.log('info', `${this.name} restarted (pid ${run.pid})`);
      return run;
    } catch (error) {
      if (!this.stopped.signal.aborted) this.events.log('warn', `${this.name} did not start: ${messageOf(error)}`);
      return null;
    }
  }
}

/**
 * Exponential backoff: the minimum time between two starts doubles after each early exit. A run of `healthyMs` resets
 * it, and the process is then restarted without a wait.
 */
const BACKOFF = {
  firstMs: 250,
  maxMs: 10_000,
  healthyMs: 10_000,
} as const;

export class Backoff {
  private spacingMs = 0;

  constructor(private readonly maxMs: number = BACKOFF.maxMs) {}

  /**
   * @param ranMs - duration of the last run
   * @returns milliseconds to wait before the restart
   */
  next(ranMs: number): number {
    const isHealthy = ranMs >= BACKOFF.healthyMs;
    this.spacingMs = isHealthy ? 0 : Math.min(Math.max(BACKOFF.firstMs, this.spacingMs * 2), this.maxMs);
    return Math.max(0, Math.round(this.spacingMs - ranMs));
  }
}
