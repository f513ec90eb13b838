import { setTimeout as sleep } from 'node:timers/promises';

/** How often the api is asked whether all it needs is there: at once for a quick start, seldom for a long one. */
const FIRST_MS = 100;
const MOST_MS = 1_000;
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
  for (let tellAt = TELL_MS, pauseMs = FIRST_MS; ; pauseMs = Math.min(pauseMs * 1.15, MOST_MS)) {
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
