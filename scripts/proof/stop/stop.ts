import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { pick, seeded } from '../../seeded';
import { type Accepted, Client } from '../chaos/client';
import { type Count, countAtClient, countInDatabase } from '../chaos/count';
import {
  Installation,
  type KeptProcess,
  type ProcessEnd,
  type QueueBackend,
  QUEUES,
  type Role,
  until,
} from '../installation';
import { oneOf, whole } from '../options';
import { part, type Report } from '../report';
import { type Asked, type Ending, asker } from './asker';

const ROLES: readonly Role[] = ['worker', 'api', 'aggregator'];
/** The line with which each role says that it is at work. */
const AT_WORK: Readonly<Record<Role, string>> = {
  worker: 'taking jobs',
  api: '"msg":"listening"',
  aggregator: 'keeping the clock',
};
const STOP_MS = 30_000;
const START_MS = 120_000;
const CLIENTS = 2;
const BATCH_ROWS = 10_000;
const ASKERS_OF_EACH = 2;
/** Of each client: enough that workers always have some. */
const OPEN_BATCHES = 3;

/** Processes are asked to end while they are at work: they finish what they have in hand, and nothing is done twice. */
export const stop = part({
  what: 'SIGTERM to worker, api and aggregator under load',
  options: { times: whole(50, 1), seed: whole(1), queue: oneOf(QUEUES, 'redis') },
  async run({ times, seed, queue }) {
    return reportOf(await run(times, seed, queue));
  },
});

interface Stopped extends ProcessEnd {
  readonly role: Role;
  readonly at: number;
}

interface Found {
  readonly ends: readonly Stopped[];
  /** By api. */
  readonly asked: readonly (readonly Asked[])[];
  readonly count: Count;
  readonly rows: number;
  readonly chunks: number;
  readonly repeated: number;
}

async function run(times: number, seed: number, queue: QueueBackend): Promise<Found> {
  const installation = await Installation.start({
    processes: { api: 2, worker: 2, aggregator: 2 },
    queue,
    environment: { CHUNK_ROWS: '500', GEOCODE_PATIENCE_SECONDS: '0' },
  });
  const client = new Client(installation.apiUrls, seeded(seed + 1));
  const load = new Load(client);
  let isOver = false;
  const askers = installation.apiUrls.map((api) =>
    Array.from({ length: ASKERS_OF_EACH }, () => asker(api, () => isOver)),
  );
  const sending = Array.from({ length: CLIENTS }, (_, nth) => load.send(nth, () => isOver));
  try {
    const ends = await stopped(installation, times, seeded(seed)).finally(() => (isOver = true));
    const asked = await Promise.all(askers.map(async (ofApi) => (await Promise.all(ofApi)).flat()));
    await Promise.all(sending);
    await load.allFinal();
    const count = await countAtClient(client, load.accepted);
    const rows = load.accepted.reduce((sum, batch) => sum + batch.rows, 0);
    return { ends, asked, count, rows, ...(await countInDatabase(installation.postgres.url)) };
  } finally {
    await installation.stop();
  }
}

async function stopped(installation: Installation, times: number, random: () => number): Promise<Stopped[]> {
  const ends: Stopped[] = [];
  for (let nth = 0; nth < times; nth++) {
    const role = ROLES[nth % ROLES.length];
    const victim = pick(random, installation.of(role));
    await pause(300 + 700 * random());
    const at = Date.now();
    const end = await victim.stop();
    ends.push({ ...end, role, at });
    if (end.code !== 0) process.stderr.write(`${end.name} ended with ${end.code ?? end.signal}\n`);
    await again(victim, role);
    if ((nth + 1) % 5 === 0) process.stderr.write(`${nth + 1} of ${times} stopped\n`);
  }
  return ends;
}

/** A process that is asked to end before it is at work has nothing to finish. */
async function again(victim: KeptProcess, role: Role): Promise<void> {
  const times = (): number => readFileSync(victim.logFile, 'utf8').split(AT_WORK[role]).length;
  const before = times();
  victim.start();
  await until(`${victim.name} is at work (log: ${victim.logFile})`, () => times() > before, START_MS);
}

/** Batches, so many at a time. */
class Load {
  readonly accepted: Accepted[] = [];

  constructor(private readonly client: Client) {}

  async send(nth: number, isOver: () => boolean): Promise<void> {
    const open: string[] = [];
    for (let sent = 0; !isOver(); sent++) {
      const batch = await this.client.submit(`c${nth}b${sent}`, BATCH_ROWS);
      this.accepted.push(batch);
      open.push(batch.id);
      while (open.length >= OPEN_BATCHES && !isOver()) {
        if (await this.isFinal(open[0])) open.shift();
        else await pause(50);
      }
    }
  }

  async allFinal(): Promise<void> {
    for (const { id } of this.accepted) await until(`batch ${id} is final`, () => this.isFinal(id), START_MS);
  }

  private async isFinal(id: string): Promise<boolean> {
    return ['completed', 'failed', 'cancelled'].includes((await this.client.batch(id)).state);
  }
}

function reportOf({ ends, asked, count, rows, chunks, repeated }: Found): Report {
  const broken = brokenOf(ends, asked);
  const endings = (ending: Ending): number => asked.flat().filter((one) => one.ending === ending).length;
  const isGood = ({ code, ms }: ProcessEnd): boolean => code === 0 && ms <= STOP_MS;
  return {
    document: 'reliability',
    columns: ['role', 'stops', 'exit 0 within 30 s', 'median', 'slowest'],
    rows: ROLES.map((role) => {
      const of = ends.filter((end) => end.role === role);
      const ms = of.map((end) => end.ms).sort((a, b) => a - b);
      const seconds = (one: number | undefined): string => `${((one ?? NaN) / 1000).toFixed(1)} s`;
      return [role, of.length, of.filter(isGood).length, seconds(ms[Math.floor(ms.length / 2)]), seconds(ms.at(-1))];
    }),
    notes: [
      `${rows.toLocaleString('en-US')} rows in ${chunks} chunks were in work meanwhile: ${repeated} chunk runs repeated, ` +
        `${count.lost} rows lost, ${count.duplicated} doubled, ${count.misplaced} out of place, ${count.wrongBatches.length} batches not whole.`,
      `${asked.flat().length} bulk requests on kept connections: ${endings('answered')} answered, ${endings('unavailable')} told 503, ` +
        `${endings('refused')} refused and ${endings('turned away')} turned away without a byte; ${endings('cut')} were cut within the answer. ` +
        `Of those that had been sent before the api was asked to end, ${broken} were not answered.`,
    ],
    passed:
      ends.every(isGood) &&
      repeated + count.lost + count.duplicated + count.misplaced + count.wrongBatches.length === 0 &&
      broken + endings('cut') === 0,
  };
}

/** Requests that an api had when it was asked to end, and that have no answer. */
function brokenOf(ends: readonly Stopped[], asked: readonly (readonly Asked[])[]): number {
  const broken = asked.map((ofApi, nth) => {
    const stops = ends.filter(({ name }) => name === `api-${nth + 1}`);
    const wasThere = ({ sentAt, endedAt }: Asked): boolean => stops.some(({ at }) => sentAt < at && endedAt >= at);
    return ofApi.filter((one) => one.ending !== 'answered' && wasThere(one)).length;
  });
  return broken.reduce((sum, one) => sum + one, 0);
}
