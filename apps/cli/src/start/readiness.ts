import { setTimeout as sleep } from 'node:timers/promises';
import { CliError, EXIT } from '../exit-code';
import { reasonIn } from './output-log';
import { type RunEnd, howItEnded } from './supervisor';

/** How often the api is asked whether all it needs is there: at once for a quick start, seldom for a long one. */
const FIRST_MS = 100;
const MAX_MS = 1_000;
/** How often the operator is told what is being waited for. */
const TELL_MS = 30_000;

interface Waiting {
  readonly url: string;
  readonly signal: AbortSignal;
  readonly told: (seconds: number, because: string) => void;
}

/** Resolves when GET /health/ready answers 200, with its body. Has no end of its own: a big data folder takes its time. */
export async function untilReady({ url, signal, told }: Waiting): Promise<unknown> {
  const startedAt = Date.now();
  for (let tellAt = TELL_MS, pauseMs = FIRST_MS; ; pauseMs = Math.min(pauseMs * 1.15, MAX_MS)) {
    const { ready, body } = await answer(`${url}/health/ready`, signal);
    if (ready) return body;
    signal.throwIfAborted();
    const waited = Date.now() - startedAt;
    if (waited >= tellAt) {
      told(Math.round(waited / 1000), detailIn(body));
      tellAt += TELL_MS;
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

/** Early ends of one role that a first start forgives: a slow machine, a server that was still coming up. */
const FORGIVEN = 3;

/** Watches the roles until the service was ready once: what cannot work at all must end the start, not repeat for ever. */
export class FirstStartWatch {
  private readonly reasons = new Map<string, string>();
  private readonly ends = new Map<string, number>();
  private over = false;
  private readonly failed = new AbortController();

  /** Aborted, with the error as reason, when this start cannot succeed. */
  get signal(): AbortSignal {
    return this.failed.signal;
  }

  line(role: string, line: string): void {
    const reason = reasonIn(line);
    if (reason !== null) this.reasons.set(role, reason);
  }

  /** @returns whether the role may start again */
  ended(role: string, end: RunEnd): boolean {
    if (this.over) return true;
    const count = (this.ends.get(role) ?? 0) + 1;
    this.ends.set(role, count);
    const hopeless = end.code === EXIT.usage || end.code === EXIT.dependency;
    if (!hopeless && count <= FORGIVEN) return true;
    const reason = this.reasons.get(role) ?? `it ended with ${howItEnded(end)}`;
    this.failed.abort(new CliError(`${role} cannot start: ${reason}`, hopelessCode(end)));
    return false;
  }

  /** From now on every end is followed by a restart. */
  succeeded(): void {
    this.over = true;
  }
}

const hopelessCode = ({ code }: RunEnd) => (code === EXIT.usage || code === EXIT.dependency ? code : EXIT.failed);
