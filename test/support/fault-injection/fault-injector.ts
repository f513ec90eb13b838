import { setTimeout as pause } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { pick } from '../seeded';
import {
  type Installation,
  type SupervisedProcess,
  type SupervisedServer,
  type TcpProxy,
  type NetworkCondition,
} from '../installation';

/** One scheduled fault. A temporary fault, such as a freeze, ends by itself in the background. */
export interface Fault {
  /** Name by which the fault is counted: `kill -9 worker`, `freeze api 3-9 s`. */
  readonly name: string;
  /** @returns false if it does not apply now: the process is dead or frozen, or the network already has a fault */
  readonly inject: () => Promise<boolean>;
}

const NETWORK_MS = [500, 2_500] as const;
const FREEZE_MS = [3_000, 9_000] as const;
const STEP_MS = [3_000, 9_000] as const;
const STEPS: readonly (readonly [string, number])[] = [
  ['+1 h', 3_600],
  ['-1 h', -3_600],
  ['+8 days', 691_200],
  ['-8 days', -691_200],
];

/** Draws faults one by one. The same seed gives the same names in the same order. */
export class FaultInjector {
  private readonly active: Promise<unknown>[] = [];
  private readonly disturbed = new Set<TcpProxy>();
  private readonly frozen = new Set<SupervisedProcess>();
  private isStepped = false;

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
      () => ({ name: 'kill -9 postgres', inject: () => killed(installation.postgres) }),
    ];
    if (installation.proxies)
      kinds.push(
        () => this.network(),
        () => this.network(),
      );
    const { redis } = installation;
    if (redis)
      kinds.push(
        () => ({ name: 'kill -9 redis', inject: () => killed(redis) }),
        () => ({ name: 'redis FLUSHALL', inject: () => flushed(redis.url) }),
      );
    if (installation.clocks.size > 0 && installation.isThisBuild)
      kinds.push(
        () => this.step(),
        () => this.step(),
      );
    return pick(random, kinds)();
  }

  /** Resolves when all processes, networks and servers are normal again. */
  async untilNormal(): Promise<void> {
    await Promise.all(this.active);
    await Promise.all([this.installation.postgres.restarted(), this.installation.redis?.restarted()]);
  }

  private kill(): Fault {
    const victim = pick(this.random, this.installation.processes);
    const role = victim.name.replace(/-\d+$/, '');
    return { name: `kill -9 ${role}`, inject: () => Promise.resolve(victim.signal('SIGKILL')) };
  }

  private freeze(): Fault {
    const victim = pick(this.random, this.installation.processes);
    const ms = this.between(FREEZE_MS);
    const role = victim.name.replace(/-\d+$/, '');
    const inject = (): Promise<boolean> => {
      if (this.frozen.has(victim) || !victim.isAlive) return Promise.resolve(false);
      this.frozen.add(victim);
      this.active.push(victim.freeze(ms).then(() => this.frozen.delete(victim)));
      return Promise.resolve(true);
    };
    return { name: `freeze ${role} 3-9 s`, inject };
  }

  private network(): Fault {
    const { proxies } = this.installation;
    const ways = Object.entries(proxies ?? {}) as [string, TcpProxy][];
    const [name, proxy] = pick(this.random, ways);
    const condition = pick<NetworkCondition>(this.random, [
      { kind: 'latency', ms: Math.round(20 + 180 * this.random()) },
      { kind: 'reset' },
      { kind: 'half-open' },
      { kind: 'slow', bytesPerSecond: 10_000 },
    ]);
    const ms = this.between(NETWORK_MS);
    const inject = (): Promise<boolean> => {
      if (this.disturbed.has(proxy)) return Promise.resolve(false);
      this.disturbed.add(proxy);
      proxy.set(condition);
      this.active.push(
        pause(ms).then(() => {
          proxy.set({ kind: 'normal' });
          this.disturbed.delete(proxy);
        }),
      );
      return Promise.resolve(true);
    };
    return { name: `${name} network: ${condition.kind}`, inject };
  }

  /** Steps one clock at a time and sets it right after some seconds. */
  private step(): Fault {
    const [name, clock] = pick(this.random, [...this.installation.clocks]);
    const [label, seconds] = pick(this.random, STEPS);
    const ms = this.between(STEP_MS);
    const inject = (): Promise<boolean> => {
      if (this.isStepped) return Promise.resolve(false);
      this.isStepped = true;
      clock.step(seconds);
      const end = (): void => {
        clock.step(0);
        this.isStepped = false;
      };
      this.active.push(pause(ms).then(end));
      return Promise.resolve(true);
    };
    return { name: `clock of ${name} ${label}`, inject };
  }

  private between([least, most]: readonly [number, number]): number {
    return Math.round(least + (most - least) * this.random());
  }
}

const killed = (server: SupervisedServer): Promise<boolean> => server.kill().then(() => true);

/** Connects without the proxy, because the fault is one of the server. @returns false if Redis is down */
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
