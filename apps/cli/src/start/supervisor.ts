import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf } from '../exit-code';

interface Told {
  (level: 'info' | 'warn', message: string): void;
}

/** Holds everything one start keeps alive, in two groups: the servers, and the roles that use them. */
export class Supervisor {
  private readonly servers: KeepRunning[] = [];
  private readonly roles: KeepRunning[] = [];

  /** @param changed called when a process has begun, so that its new pid can be written down */
  constructor(
    private readonly told: Told,
    private readonly changed: () => void = () => undefined,
  ) {}

  /** Present process ids by name. */
  processes(): Record<string, number> {
    const running = [...this.servers, ...this.roles].filter(({ pid }) => pid !== undefined);
    return Object.fromEntries(running.map(({ name, pid }) => [name, pid ?? -1]));
  }

  startServer(unit: KeptUnit): Promise<void> {
    return this.start(this.servers, unit);
  }

  /** @param ended decides, for each end, whether the role starts again */
  startRole(unit: KeptUnit, ended: (end: RunEnd) => boolean): Promise<void> {
    return this.start(this.roles, unit, ended);
  }

  /** Roles first, since they finish their work against the servers. Calling it again with `force` kills the roles. */
  async stop(force = false): Promise<void> {
    await Promise.all(this.roles.map((role) => role.stop(force)));
    await Promise.all(this.servers.map((server) => server.stop(force)));
  }

  private async start(group: KeepRunning[], unit: KeptUnit, ended?: (end: RunEnd) => boolean): Promise<void> {
    const kept = new KeepRunning(unit, { ended, began: this.changed, said: this.told });
    group.push(kept);
    await kept.start();
  }
}

/** One run of something that the supervisor keeps alive. */
export interface Run {
  readonly pid: number | undefined;
  /** Settles when the run is over, with how it ended. Never rejects. */
  readonly ended: Promise<RunEnd>;
  /** Ends the run; resolves when it is over. */
  stop(force: boolean): Promise<void>;
}
export interface RunEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export interface KeptUnit {
  readonly name: string;
  start(): Promise<Run>;
}

interface KeepEvents {
  /** Returns false where this end must not be followed by a restart. */
  ended?(end: RunEnd): boolean;
  /** A run has begun; its pid is the present one. */
  began?(): void;
  said(level: 'info' | 'warn', message: string): void;
}

export const howItEnded = ({ code, signal }: RunEnd): string => (signal ? `killed by ${signal}` : `exit code ${code}`);

/** Keeps one process alive: starts it again, after a growing wait, until it is told to stop. */
class KeepRunning {
  private run: Promise<Run | null> = Promise.resolve(null);
  private runningPid: number | undefined;
  private readonly stopped = new AbortController();
  private loop: Promise<void> = Promise.resolve();

  constructor(
    private readonly unit: KeptUnit,
    private readonly events: KeepEvents,
    private readonly backoff = new Backoff(),
  ) {}

  get name(): string {
    return this.unit.name;
  }
  /** Of the present run. */
  get pid(): number | undefined {
    return this.runningPid;
  }

  /** First start; rejects where it fails, since nothing that never ran is worth repeating. */
  async start(): Promise<void> {
    this.loop = this.restartForEver(await this.begin());
  }

  /** Also ends a run that is just starting. A second call with `force` kills what the first one asked politely. */
  async stop(force = false): Promise<void> {
    this.stopped.abort();
    const run = await this.run.catch(() => null);
    await run?.stop(force);
    await this.loop;
  }

  private async begin(): Promise<Run> {
    const run = this.unit.start();
    this.run = run;
    const { pid } = await run;
    this.runningPid = pid;
    this.events.began?.();
    return run;
  }

  private async restartForEver(first: Run): Promise<void> {
    let run: Run | null = first;
    while (!this.stopped.signal.aborted) {
      const startedAt = Date.now();
      const end = run ? await run.ended : { code: null, signal: null };
      if (this.stopped.signal.aborted) return;
      if (run && this.events.ended?.(end) === false) return;
      const waitMs = this.backoff.next(Date.now() - startedAt);
      if (run) this.events.said('warn', `${this.name} ended (${howItEnded(end)}); restarting in ${waitMs} ms`);
      run = await this.startAfter(waitMs);
    }
  }

  private async startAfter(waitMs: number): Promise<Run | null> {
    try {
      await sleep(waitMs, undefined, { signal: this.stopped.signal });
      const run = await this.begin();
      this.events.said('info', `${this.name} restarted (pid ${run.pid})`);
      return run;
    } catch (error) {
      if (!this.stopped.signal.aborted) this.events.said('warn', `${this.name} did not start: ${messageOf(error)}`);
      return null;
    }
  }
}

/** Waits before starting something again: doubled after each early end, short again after a healthy run. */
const BACKOFF = {
  firstMs: 250, // a killed worker is back before its chunk's lease runs out
  mostMs: 30_000,
  healthyMs: 60_000,
} as const;

export class Backoff {
  private waitMs: number;

  constructor(private readonly limits: { firstMs: number; mostMs: number; healthyMs: number } = BACKOFF) {
    this.waitMs = limits.firstMs;
  }

  /** @param ranMs how long the last run lasted */
  next(ranMs: number): number {
    if (ranMs >= this.limits.healthyMs) this.waitMs = this.limits.firstMs;
    const now = this.waitMs;
    this.waitMs = Math.min(now * 2, this.limits.mostMs);
    return now;
  }
}
