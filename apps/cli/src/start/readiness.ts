import { setTimeout as sleep } from 'node:timers/promises';
import { CliError, EXIT } from '../exit-code';
import { parseLogLine, reasonIn } from './output-log';
import { type RunEnd, exitReason } from './supervisor';

/** Poll interval of GET /health/ready: short at first, then longer. */
const FIRST_MS = 100;
const MAX_MS = 1_000;
/** Interval of the log line that says why the service is not ready. */
const LOG_INTERVAL_MS = 30_000;

interface Waiting {
  readonly url: string;
  readonly signal: AbortSignal;
  readonly onWait: (seconds: number, reason: string) => void;
}

/** Resolves with the body of GET /health/ready once it answers 2xx. No timeout: loading a large data folder is slow. */
export async function untilReady({ url, signal, onWait }: Waiting): Promise<unknown> {
  const startedAt = performance.now();
  for (let logAtMs = LOG_INTERVAL_MS, pauseMs = FIRST_MS; ; pauseMs = Math.min(pauseMs * 1.15, MAX_MS)) {
    const { ready, body } = await answer(`${url}/health/ready`, signal);
    if (ready) return body;
    signal.throwIfAborted();
    const waited = performance.now() - startedAt;
    if (waited >= logAtMs) {
      onWait(Math.round(waited / 1000), detailIn(body));
      logAtMs += LOG_INTERVAL_MS;
    }
    await sleep(pauseMs, undefined, { signal });
  }
}

async function answer(url: string, signal: AbortSignal): Promise<{ ready: boolean; body: unknown }> {
  try {
    const response = await fetch(url, { signal: AbortSignal.any([signal, AbortSignal.timeout(5_000)]) });
    const body: unknown = await response.json().catch(() => null);
    return { ready: response.ok, body };
  } catch {
    return { ready: false, body: null };
  }
}

const detailIn = (body: unknown): string =>
  typeof body === 'object' && body !== null && 'detail' in body && typeof body.detail === 'string'
    ? body.detail
    : 'the service is starting';

/** Number of restarts of one role before the service is first ready: a server may still be starting. */
const MAX_EARLY_EXITS = 3;

/** Watches the roles until the service is first ready. A role that cannot start ends the command. */
export class FirstStartWatch {
  private readonly reasons = new Map<string, string>();
  private readonly ends = new Map<string, number>();
  private step: string | null = null;
  private over = false;
  private readonly failed = new AbortController();

  /** Aborts, with the error as reason, if this start cannot succeed. */
  get signal(): AbortSignal {
    return this.failed.signal;
  }

  get isOver(): boolean {
    return this.over;
  }

  line(role: string, line: string): void {
    const reason = reasonIn(line);
    if (reason !== null) this.reasons.set(role, reason);
    const step = parseLogLine(line)?.step;
    if (typeof step === 'string') this.step = step;
  }

  /** The reason why the service is not ready, and the last step that a role logged. */
  waitText(reason: string): string {
    return this.step === null ? reason : `${reason} Current step: ${this.step}.`;
  }

  /** @returns whether to restart the role */
  shouldRestart(role: string, end: RunEnd): boolean {
    if (this.over) return true;
    const count = (this.ends.get(role) ?? 0) + 1;
    this.ends.set(role, count);
    const isPermanent = end.code === EXIT.usage || end.code === EXIT.dependency;
    if (!isPermanent && count <= MAX_EARLY_EXITS) return true;
    const reason = this.reasons.get(role) ?? `it ended with ${exitReason(end)}`;
    this.failed.abort(new CliError(`${role} cannot start: ${reason}`, permanentExitCode(end)));
    return false;
  }

  /** Ends the watch: from now on a role is restarted after every exit. */
  succeeded(): void {
    this.over = true;
  }
}

const permanentExitCode = ({ code }: RunEnd) => (code === EXIT.usage || code === EXIT.dependency ? code : EXIT.failed);
