import { setTimeout as pause } from 'node:timers/promises';
import { pick, seeded } from '../seeded';
import { KEY, Service } from '../service/service';

export interface KillOptions {
  readonly kills: number;
  readonly seconds: number;
  readonly seed: number;
  readonly queue: string;
  /** Root of another built checkout. */
  readonly checkout: string | undefined;
}

export interface Availability {
  readonly lookups: number;
  /** Share of the time without an answer, 0 to 1. */
  readonly share: number;
  /** Seconds of the longest time without an answer. */
  readonly longest: number;
}

const PROBE_PAUSE_MS = 50;
const PROBE_MS = 1_000;
const BODY = JSON.stringify({ queries: [{ name: 'Mary', date: '2017-07-01' }] });

/**
 * Kills processes of `npm start` one after the other while a client repeatedly looks up a name.
 * @returns kills as text, such as `api 7, postgres 6`
 */
export async function lookUpDuringKills(options: KillOptions): Promise<Availability & { readonly kills: string }> {
  const { kills, seconds, seed, queue, checkout } = options;
  const service = await Service.start({ QUEUE_BACKEND: queue, LOG_LEVEL: 'warn' }, undefined, checkout);
  const killed: Record<string, number> = {};
  const random = seeded(seed);
  const client = new LookupClient(`${service.url}/enrich/v1/age_gender`);
  try {
    for (let done = 0; done < kills; done++) {
      await pause((1000 * seconds) / kills);
      const name = await killOne(service, random);
      killed[name] = (killed[name] ?? 0) + 1;
    }
    const list = Object.entries(killed).map(([name, count]) => `${name} ${count}`);
    return { ...(await client.stop()), kills: list.sort().join(', ') };
  } finally {
    await service.stop();
  }
}

/** Kills a random process; draws another one if the process has ended and not restarted yet. */
async function killOne(service: Service, random: () => number): Promise<string> {
  for (;;) {
    const name = pick(random, Object.keys(service.run().processes).sort());
    try {
      service.kill(name);
      return name;
    } catch {
      await pause(PROBE_PAUSE_MS);
    }
  }
}

class LookupClient {
  /** Durations without an answer, seconds. */
  private readonly outages: number[] = [];
  private lookups = 0;
  private isStopping = false;
  private readonly started = performance.now();
  private readonly running: Promise<void>;

  constructor(private readonly url: string) {
    this.running = this.run();
  }

  /** Stops after the next answered lookup. */
  async stop(): Promise<Availability> {
    this.isStopping = true;
    await this.running;
    const seconds = (performance.now() - this.started) / 1000;
    const share = this.outages.reduce((sum, one) => sum + one, 0) / seconds;
    return { lookups: this.lookups, share, longest: Math.max(0, ...this.outages) };
  }

  private async run(): Promise<void> {
    for (let failedAt: number | null = null; failedAt !== null || !this.isStopping; await pause(PROBE_PAUSE_MS)) {
      const sentAt = performance.now();
      this.lookups++;
      if (!(await this.isAnswered())) failedAt ??= sentAt;
      else if (failedAt !== null) {
        this.outages.push((performance.now() - failedAt) / 1000);
        failedAt = null;
      }
    }
  }

  private isAnswered(): Promise<boolean> {
    const headers = { 'content-type': 'application/json', 'x-api-key': KEY };
    const signal = AbortSignal.timeout(PROBE_MS);
    return fetch(this.url, { method: 'POST', headers, body: BODY, signal }).then(
      ({ ok, body }) => body?.cancel().then(() => ok) ?? ok,
      () => false,
    );
  }
}
