import { setTimeout as pause } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { pick } from '../../seeded';
import { type Installation, type KeptProcess, type KeptServer, type TcpProxy, type Weather } from '../installation';

/** One fault of the plan. What lasts, such as a freeze, ends by itself in the background. */
export interface Fault {
  /** `kill worker`, `freeze api`, `postgres: reset`: counted by this name. */
  readonly name: string;
  /** False where nothing was there to be struck: a process that is dead or frozen, a network that is spoilt already. */
  readonly strike: () => Promise<boolean>;
}

const WEATHER_MS = [500, 2_500] as const;
const FREEZE_MS = [3_000, 9_000] as const;

/** The seed's faults for an installation, one at a time: the same names in the same order for the same seed. */
export class Faults {
  private readonly under: Promise<unknown>[] = [];
  private readonly spoilt = new Set<TcpProxy>();
  private readonly frozen = new Set<KeptProcess>();

  constructor(
    private readonly installation: Installation,
    private readonly random: () => number,
  ) {}

  next(): Fault {
    const { installation, random } = this;
    const kinds: (() => Fault)[] = [
      () => this.kill(),
      () => this.kill(),
      () => this.kill(),
      () => this.freeze(),
      () => ({ name: 'kill -9 postgres', strike: () => killed(installation.postgres) }),
      () => this.network(),
      () => this.network(),
    ];
    const { redis } = installation;
    if (redis)
      kinds.push(
        () => ({ name: 'kill -9 redis', strike: () => killed(redis) }),
        () => ({ name: 'redis FLUSHALL', strike: () => flushed(redis.url) }),
      );
    return pick(random, kinds)();
  }

  /** Resolves when everything that was frozen or spoilt is itself again, and killed servers are back. */
  async over(): Promise<void> {
    await Promise.all(this.under);
    await Promise.all([this.installation.postgres.settled(), this.installation.redis?.settled()]);
  }

  private kill(): Fault {
    const victim = pick(this.random, this.installation.processes);
    const role = victim.name.replace(/-\d+$/, '');
    return { name: `kill -9 ${role}`, strike: () => Promise.resolve(victim.signal('SIGKILL')) };
  }

  private freeze(): Fault {
    const victim = pick(this.random, this.installation.processes);
    const ms = this.between(FREEZE_MS);
    const role = victim.name.replace(/-\d+$/, '');
    const strike = (): Promise<boolean> => {
      if (this.frozen.has(victim) || !victim.isAlive) return Promise.resolve(false);
      this.frozen.add(victim);
      this.under.push(victim.freeze(ms).then(() => this.frozen.delete(victim)));
      return Promise.resolve(true);
    };
    return { name: `freeze ${role} 3-9 s`, strike };
  }

  private network(): Fault {
    const { proxies } = this.installation;
    const ways = Object.entries(proxies ?? {}) as [string, TcpProxy][];
    const [name, proxy] = pick(this.random, ways);
    const weather = pick<Weather>(this.random, [
      { kind: 'latency', ms: Math.round(20 + 180 * this.random()) },
      { kind: 'reset' },
      { kind: 'half-open' },
      { kind: 'slow', bytesPerSecond: 10_000 },
    ]);
    const ms = this.between(WEATHER_MS);
    const strike = (): Promise<boolean> => {
      if (this.spoilt.has(proxy)) return Promise.resolve(false);
      this.spoilt.add(proxy);
      proxy.set(weather);
      this.under.push(
        pause(ms).then(() => {
          proxy.set({ kind: 'fair' });
          this.spoilt.delete(proxy);
        }),
      );
      return Promise.resolve(true);
    };
    return { name: `${name} network: ${weather.kind}`, strike };
  }

  private between([least, most]: readonly [number, number]): number {
    return Math.round(least + (most - least) * this.random());
  }
}

const killed = (server: KeptServer): Promise<boolean> => server.kill().then(() => true);

/** Past the proxy: the fault is that of the server. False where Redis is away: there is nothing to forget. */
async function flushed(url: string): Promise<boolean> {
  const redis = new Redis(url, { lazyConnect: true, maxRetriesPerRequest: 0, retryStrategy: () => null });
  redis.on('error', () => undefined);
  try {
    await redis.connect();
    return (await redis.flushall()) === 'OK';
  } catch {
    return false;
  } finally {
    redis.disconnect();
  }
}
