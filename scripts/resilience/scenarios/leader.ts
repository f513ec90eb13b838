import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type Pool } from 'pg';
import { LeaseRepository, StaleFenceError } from '@donorlens/database';
import { LEADER_LEASE, OperatorRequests } from '@donorlens/operations';
import { ReleaseRepository } from '@donorlens/reference-data';
import { pick } from '../../../test/support/seeded';
import { whole } from '../../command/options';
import { type Installation, type SupervisedProcess, until } from '../../../test/support/installation';
import { type Finding, scenario } from '../scenario';
import { ReferenceDataEditions } from '../../../test/support/reference-data/data-folders';
import { requestAndWait } from '../support/operator';
import { quantile } from '../support/statistics';
import { readLog, startLog, type WriteLog } from './leader-log';

const LEADER_MS = 60_000;
/** Maximum random delay of a fault, so that faults hit the leader at any step of a request. */
const MAX_FAULT_DELAY_MS = 1_500;
const FREEZE_MS = [3_000, 25_000] as const;
const FAULTS = ['kill -9', 'kill -9', 'freeze', 'freeze', 'SIGTERM'] as const;

const options = { ticks: whole(1000, 1), aggregators: whole(5, 1), seed: whole(1) };
const TICKS_PER_FAULT = 20;

interface HandOver {
  readonly fault: string;
  /** From the fault until the next leader's term begins. */
  readonly ms: number;
}

interface Result {
  readonly log: WriteLog;
  readonly tried: number;
  /** Writes of a former leader that were accepted. */
  readonly accepted: readonly string[];
  readonly handOvers: readonly HandOver[];
  readonly injected: ReadonlyMap<string, number>;
}
type Found = Finding<typeof options, Result>;

export const leader = scenario<typeof options, Result>({
  promise: 'One aggregator leads at a time; a former leader writes nothing, and each request is completed once',
  options,
  setUp: async ({ aggregators }) => {
    const home = mkdtempSync(join(tmpdir(), 'donorlens-leader-'));
    const { path } = await ReferenceDataEditions.create(join(home, 'data'), 2);
    return {
      processes: { api: 1, worker: 1, aggregator: aggregators },
      queue: 'postgres',
      environment: { DATA_SOURCE: path, REFERENCE_REFRESH: 'off' },
      dispose: () => rmSync(home, { recursive: true, force: true }),
    };
  },
  execute: async ({ installation, pool, random, say }, { ticks }) => {
    const editions = await ReferenceDataEditions.create(installation.environment.DATA_SOURCE, 2);
    const since = await startLog(pool);
    const injector = new LeaderFaults(installation, pool, random);
    const former = new FormerLeader(pool);
    let done = 0;
    for (let tick = 1; tick <= ticks; tick++) {
      editions.publish(tick);
      const isFaulty = tick % TICKS_PER_FAULT === 0 || tick === ticks;
      const refresh = requestAndWait(pool, 'refresh', { source: 'reference-data' });
      await Promise.all([refresh, isFaulty && ++done ? injector.inject() : undefined]);
      await former.tryWrites();
      if (tick % TICKS_PER_FAULT === 0)
        say(`${tick} ticks, ${done} faults, ${former.tried} writes of former leaders tried`);
    }
    await injector.over();
    const { handOvers, injected } = injector;
    return { log: await readLog(pool, since), tried: former.tried, accepted: former.accepted, handOvers, injected };
  },
  columns: {
    aggregators: ({ aggregators }) => aggregators,
    requests: ({ ticks }) => ticks,
    'completed once': ({ log }) => log.done,
    'completed twice or failed': ({ log }) => log.wrong,
    'data releases activated': ({ log }) => log.activations,
    'leadership terms': ({ log }) => log.terms,
    'writes under another fencing token than the lease’s': ({ log }) => log.stale,
    'writes of a former leader: tried / accepted': ({ tried, accepted }) => `${tried} / ${accepted.length}`,
    'hand-over after kill -9: median, slowest': (found) => handOverOf(found, 'kill -9'),
    'after a freeze': (found) => handOverOf(found, 'freeze'),
    'after SIGTERM': (found) => handOverOf(found, 'SIGTERM'),
    seconds: ({ seconds }) => Math.round(seconds),
  },
  checks: {
    'each request is completed once': ({ ticks, log }) => log.done === ticks && log.wrong === 0,
    'each data release is activated once': ({ ticks, log }) => log.activations === ticks,
    'terms follow each other without a gap': ({ log }) => log.gaps === 0,
    'no write is made under another fencing token': ({ log }) => log.stale === 0,
    'no write of a former leader is accepted': ({ accepted }) => accepted.length === 0,
  },
  notes: ([{ injected, log, accepted }]) => [
    `Faults of the current leader: ${[...injected].map(([name, count]) => `${name} ${count}`).join(', ')}. ` +
      `${log.takenOver} requests were started by one leader and completed by the next.`,
    ...accepted.map((what) => `Accepted from a former leader: ${what}.`),
  ],
});

function handOverOf({ handOvers }: Found, fault: string): string {
  const ms = handOvers.filter((one) => one.fault === fault).map((one) => one.ms);
  if (ms.length === 0) return 'none';
  return [0.5, 1].map((share) => `${(quantile(ms, share) / 1000).toFixed(1)} s`).join(', ');
}

/** Kills, freezes or stops the current leader. */
class LeaderFaults {
  readonly handOvers: HandOver[] = [];
  readonly injected = new Map<string, number>();
  private readonly active: Promise<unknown>[] = [];

  constructor(
    private readonly installation: Installation,
    private readonly pool: Pool,
    private readonly random: () => number,
  ) {}

  async inject(): Promise<void> {
    const fault = pick(this.random, FAULTS);
    const freezeMs = Math.round(FREEZE_MS[0] + (FREEZE_MS[1] - FREEZE_MS[0]) * this.random());
    await pause(MAX_FAULT_DELAY_MS * this.random());
    const { epoch, process } = await until('an aggregator leads', () => this.leader(), LEADER_MS);
    this.injected.set(fault, (this.injected.get(fault) ?? 0) + 1);
    const at = Date.now();
    if (fault === 'freeze') this.active.push(process.freeze(freezeMs));
    else process.signal(fault === 'kill -9' ? 'SIGKILL' : 'SIGTERM');
    this.active.push(this.handOver(fault, at, epoch, fault === 'freeze' ? freezeMs : LEADER_MS));
  }

  async over(): Promise<void> {
    await Promise.all(this.active);
  }

  private async leader(): Promise<{ epoch: bigint; process: SupervisedProcess } | null> {
    const { rows } = await this.pool.query<{ epoch: string; holder: string }>(
      `select epoch, holder from lease where name = $1 and expires_at > clock_timestamp()`,
      [LEADER_LEASE],
    );
    const pid = Number(/\.(\d+)\.[\da-f]+$/.exec(rows[0]?.holder ?? '')?.[1]);
    const process = this.installation.of('aggregator').find((one) => one.pid === pid);
    return process?.isAlive ? { epoch: BigInt(rows[0].epoch), process } : null;
  }

  /** A leader that is frozen for less than its lease stays leader; then there is no handover. */
  private async handOver(fault: string, at: number, epoch: bigint, withinMs: number): Promise<void> {
    const next = async (): Promise<Date | null> => {
      const sql = 'select at from resilience.term where epoch = $1';
      return (await this.pool.query<{ at: Date }>(sql, [String(epoch + 1n)])).rows[0]?.at ?? null;
    };
    const begin = await until('the next leader', next, withinMs).catch(() => null);
    if (begin) this.handOvers.push({ fault, ms: begin.getTime() - at });
    else if (fault !== 'freeze') throw new Error(`no leader a minute after ${fault}`);
  }
}

/** After each term, tries its writes, like a former leader that has not noticed the end of its term. */
class FormerLeader {
  tried = 0;
  readonly accepted: string[] = [];
  private newest = 0n;

  constructor(private readonly pool: Pool) {}

  async tryWrites(): Promise<void> {
    const { rows } = await this.pool.query<{ epoch: string }>('select epoch from lease where name = $1', [
      LEADER_LEASE,
    ]);
    const epoch = BigInt(rows[0].epoch);
    if (epoch === this.newest) return;
    this.newest = epoch;
    const former = String(epoch - 1n);
    const fence = { lease: LEADER_LEASE, epoch: former };
    const releases = new ReleaseRepository(this.pool);
    const requests = new OperatorRequests(this.pool);
    const active = (await releases.activeId()) ?? '';
    const refusal = (error: unknown): boolean => {
      if (error instanceof StaleFenceError) return false;
      throw error;
    };
    await this.attempt('activation of a release', () => releases.activate(active, fence).then(() => true, refusal));
    await this.attempt('renewal of the lease', () => new LeaseRepository(this.pool).renew(LEADER_LEASE, former));
    await requests.submit('redrive', { queue: 'geocode' }, 'former leader');
    await this.attempt('start of a request', async () => (await requests.claimNext(fence, 'prompt')) !== null);
  }

  private async attempt(what: string, write: () => Promise<boolean>): Promise<void> {
    this.tried++;
    if (await write()) this.accepted.push(what);
  }
}
