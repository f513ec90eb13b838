import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Pool } from 'pg';
import { OpsRequests } from '@donorlens/operations';
import { seeded } from '../../seeded';
import { Installation, until } from '../installation';
import { ChangingFolder } from '../refresh/birth-files';
import { whole } from '../options';
import { part, type Report } from '../report';
import { FormerLeader } from './former-leader';
import { type HandOver, Strikes } from './strikes';
import { type Written, mark, watchWrites, writtenSince } from './written';

interface Run {
  readonly ticks: number;
  readonly aggregators: number;
  readonly faults: number;
  readonly seed: number;
}

const TICK_MS = 120_000;
const ACTOR = 'proof';

/** The leader of many is killed and frozen again and again: one leads at a time, and each tick's work is done once. */
export const leader = part({
  what: 'one leader of many, killed and frozen',
  options: { ticks: whole(1000, 1), aggregators: whole(5, 1), faults: whole(undefined), seed: whole(1) },
  async run({ ticks, aggregators, faults = Math.ceil(ticks / 20), seed }) {
    return reportOf(await run({ ticks, faults, aggregators, seed }));
  },
});

interface Found extends Run {
  readonly written: Written;
  readonly former: FormerLeader;
  readonly handOvers: readonly HandOver[];
  readonly struck: ReadonlyMap<string, number>;
  readonly seconds: number;
}

async function run(asked: Run): Promise<Found> {
  const home = mkdtempSync(join(tmpdir(), 'donorlens-leader-'));
  const folder = await ChangingFolder.at(join(home, 'data'), 2);
  const installation = await Installation.start({
    processes: { api: 1, worker: 1, aggregator: asked.aggregators },
    queue: 'postgres',
    environment: { DATA_SOURCE: folder.path, REFERENCE_REFRESH: 'off' },
  });
  const pool = new Pool({ connectionString: installation.postgres.url, max: 4 });
  try {
    return await ticking(asked, installation, folder, pool);
  } finally {
    await pool.end();
    await installation.stop();
    rmSync(home, { recursive: true });
  }
}

async function ticking(asked: Run, installation: Installation, folder: ChangingFolder, pool: Pool): Promise<Found> {
  await watchWrites(pool);
  const since = await mark(pool);
  const strikes = new Strikes(installation, pool, seeded(asked.seed));
  const former = new FormerLeader(pool);
  const started = performance.now();
  let done = 0;
  for (let tick = 1; tick <= asked.ticks; tick++) {
    folder.show(tick);
    const strike = (tick * asked.faults) / asked.ticks >= done + 1;
    const [id] = await Promise.all([askFor(pool), strike ? strikes.next() : undefined]);
    if (strike) done++;
    await until(`tick ${tick} is done (logs: ${installation.home}/logs)`, () => isEnded(pool, id), TICK_MS);
    await former.tryAll();
    if (tick % 20 === 0) process.stderr.write(`${tick} ticks, ${done} faults, ${former.refused} writes refused\n`);
  }
  await strikes.over();
  const written = await writtenSince(pool, since, ACTOR);
  const seconds = (performance.now() - started) / 1000;
  return { ...asked, written, former, handOvers: strikes.handOvers, struck: strikes.struck, seconds };
}

/** A tick: something new is there to be loaded, and the leader is asked for it as operators and their timers do. */
const askFor = (pool: Pool): Promise<string> =>
  new OpsRequests(pool).ask('refresh', { source: 'reference-data' }, ACTOR);

async function isEnded(pool: Pool, id: string): Promise<boolean> {
  const { rowCount } = await pool.query(`select from ops_request where id = $1 and state in ('done', 'failed')`, [id]);
  return rowCount === 1;
}

function reportOf(found: Found): Report {
  const { ticks, written, former, handOvers, struck } = found;
  const ms = (name: RegExp): string => spread(handOvers.filter(({ fault }) => name.test(fault)).map((one) => one.ms));
  return {
    document: 'reliability',
    columns: [
      'aggregators',
      'ticks',
      'runs that ended',
      'runs that ended twice or failed',
      'releases activated',
      'terms of leading',
      'writes under another epoch than the lease’s',
      'writes of a former leader tried / accepted',
      'hand-over after kill -9: median, slowest',
      'after a freeze',
      'after SIGTERM',
      'seconds',
    ],
    rows: [
      [
        found.aggregators,
        ticks,
        written.done,
        written.wrong,
        written.activations,
        written.terms,
        written.stale,
        `${former.tried} / ${former.accepted.length}`,
        ms(/kill/),
        ms(/freeze/),
        ms(/SIGTERM/),
        Math.round(found.seconds),
      ],
    ],
    notes: [
      `The leader of the moment was struck: ${[...struck].map(([name, n]) => `${name} ${n}`).join(', ')}. ` +
        `${written.takenOver} runs were begun by one leader and ended by the next; ` +
        `a run that is begun again finds what is done, and nothing is activated twice.`,
      ...former.accepted.map((what) => `Accepted from a former leader: ${what}.`),
    ],
    passed:
      written.done === ticks &&
      written.activations === ticks &&
      written.wrong + written.stale + written.gaps + former.accepted.length === 0,
  };
}

function spread(ms: readonly number[]): string {
  if (ms.length === 0) return 'none';
  const sorted = [...ms].sort((a, b) => a - b);
  const seconds = (one: number): string => (one / 1000).toFixed(1);
  return `${seconds(sorted[Math.floor(sorted.length / 2)])} s, ${seconds(sorted[sorted.length - 1])} s`;
}
