import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { command } from '../command/report';
import { AddressKeys, LocationRepository } from '@donorlens/locations';
import { median, nsPerItem, perSecond, residentMb } from './measure';
import { KEY, type RunningService, startService } from './service';

const ROWS = 100_000;
const LATENCY_MS = 1_000;
const CALLS_AT_ONCE = 4;
const CALL_ROWS = 1_000;
const CHUNK = 1_000;
const OUTAGE_S = 60;
const GOAL_NS = 8_000;
const SECRET = 'secret-of-the-bench-only';
const headers = { authorization: `Bearer ${KEY}` };

interface Batch {
  readonly id: string;
  readonly started_at: string;
  readonly finished_at: string;
  readonly counts: { readonly done: number };
  readonly addresses: { readonly pending: number };
}

/** The geocoder of the bench, in a process of its own. */
class Stub {
  private constructor(
    private readonly child: ChildProcess,
    readonly url: string,
  ) {}

  static async start(): Promise<Stub> {
    const child = fork(join(__dirname, '../../test/support/bench-data/geocoder-stub.js'), [String(LATENCY_MS)]);
    const [{ port }] = (await once(child, 'message')) as [{ port: number }];
    return new Stub(child, `http://127.0.0.1:${port}/geocoder`);
  }

  async tell(what: { down?: boolean; forget?: boolean }): Promise<{ calls: number; ms: number }> {
    this.child.send(what);
    return ((await once(this.child, 'message')) as [{ calls: number; ms: number }])[0];
  }

  stop(): void {
    this.child.disconnect();
  }
}

const address = (i: number) => ({ street: `${i} Maple Street`, city: 'Springfield', state: 'IL', zip: '62701' });

/** @param from  number of the first address; null for rows without a street */
function csv(from: number | null): string {
  const lines = ['first_name,last_name,date,street,city,state,zip'];
  for (let i = 0; i < ROWS; i++) {
    const { street, city, state, zip } = address((from ?? 0) + i);
    lines.push(`Mary,Smith,2016-10-${10 + (i % 20)},${from === null ? '' : street},${city},${state},${zip}`);
  }
  return lines.join('\n');
}

async function submitted(url: string, body: string): Promise<string> {
  const response = await fetch(`${url}/enrich/v1/batches`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'text/csv' },
    body,
  });
  if (response.status !== 202) throw new Error(`${response.status} ${await response.text()}`);
  return ((await response.json()) as Batch).id;
}

async function until(url: string, id: string, isSo: (batch: Batch & { state: string }) => boolean): Promise<Batch> {
  for (;;) {
    const response = await fetch(`${url}/enrich/v1/batches/${id}`, { headers });
    const batch = (await response.json()) as Batch & { state: string };
    if (isSo(batch)) return batch;
    await pause(50);
  }
}

const rows: string[][] = [];
const record = (what: string, value: string, ratio = ''): void => void rows.push([what, value, ratio]);

const isCompleted = ({ state }: { state: string }): boolean => state === 'completed';

/** Distinct addresses through the calls: how much of what the geocoder's latency allows is used. */
async function throughput(service: RunningService, stub: Stub): Promise<string> {
  await stub.tell({ forget: true });
  const id = await submitted(service.url, csv(0));
  await until(service.url, id, isCompleted);
  const { calls, ms } = await stub.tell({});
  const possible = (CALLS_AT_ONCE * CALL_ROWS) / (LATENCY_MS / 1000);
  const reached = ROWS / (ms / 1000);
  record(
    `${ROWS.toLocaleString('en-US')} addresses, ${calls} calls of ${LATENCY_MS} ms, ${CALLS_AT_ONCE} at once`,
    `${Math.round(reached).toLocaleString('en-US')}/s`,
    `${(reached / possible).toFixed(2)} of ${possible.toLocaleString('en-US')}/s`,
  );
  return id;
}

/** The parts that a row with a known address costs, each alone. */
async function parts(pool: pg.Pool, batchId: string): Promise<void> {
  const keys = new AddressKeys({ secret: SECRET, benchmark: 'b', vintage: 'v' });
  const addresses = Array.from({ length: ROWS }, (_, i) => address(i));
  const keyNs = nsPerItem(ROWS, 5, () => {
    for (const one of addresses) keys.keyOf(one);
  });
  const { rows } = await pool.query<{ address_key: Buffer }>(
    'select address_key from result where batch_id = $1 order by row_no',
    [batchId],
  );
  const locations = new LocationRepository(pool, keys);
  const lookUpNs: number[] = [];
  const joinNs: number[] = [];
  for (let round = 0; round < 5; round++) {
    const start = performance.now();
    for (let from = 0; from < ROWS; from += CHUNK)
      await locations.outcomes(rows.slice(from, from + CHUNK).map((row) => row.address_key));
    lookUpNs.push(((performance.now() - start) * 1e6) / ROWS);
    const plain = await readNs(pool, batchId, '');
    const joined = await readNs(pool, batchId, 'left join location l using (address_key)');
    joinNs.push(Math.max(0, joined - plain));
  }
  const sum = keyNs + median(lookUpNs) + median(joinNs);
  record('address key (normalised, HMAC-SHA-256)', `${keyNs.toFixed(0)} ns`);
  record('look-up in a warm cache, 1,000 at a time', `${median(lookUpNs).toFixed(0)} ns`);
  record('join at reading', `${median(joinNs).toFixed(0)} ns`);
  record('key + look-up + join, a row', `${(sum / 1000).toFixed(1)} us`, `${(sum / GOAL_NS).toFixed(2)} of 8 us`);
}

/** The rows of a batch, 4,000 at a time as results are read. */
async function readNs(pool: pg.Pool, batchId: string, join: string): Promise<number> {
  const located = join === '' ? '' : ", l.outcome, l.fips, l.tract, l.block, encode(l.address_id, 'hex')";
  const start = performance.now();
  for (let from = 1; from <= ROWS; from += 4 * CHUNK)
    await pool.query(
      `select count(t) from (select r.row_no, r.source, r.age, r.gender${located} from result r ${join}
       where r.batch_id = $1 and r.row_no between $2 and $3 order by r.row_no) t`,
      [batchId, from, from + 4 * CHUNK - 1],
    );
  return ((performance.now() - start) * 1e6) / ROWS;
}

/** The same rows with addresses that are known, and without a street: what the whole way of an address costs. */
async function warm(service: RunningService): Promise<void> {
  const cost = async (body: string): Promise<number> => {
    const batch = await until(service.url, await submitted(service.url, body), isCompleted);
    return ((Date.parse(batch.finished_at) - Date.parse(batch.started_at)) / ROWS) * 1e6;
  };
  const [withAddress, without]: [number[], number[]] = [[], []];
  for (let round = 0; round < 3; round++) {
    without.push(await cost(csv(null)));
    withAddress.push(await cost(csv(0)));
  }
  record(
    'worker stage of a row, all addresses known',
    `${(median(withAddress) / 1000).toFixed(1)} us`,
    `${((median(withAddress) - median(without)) / 1000).toFixed(1)} us more than without a street`,
  );
}

/** Memory while the geocoder is down and as many addresses wait. */
async function outage(service: RunningService, stub: Stub): Promise<void> {
  await stub.tell({ down: true });
  const id = await submitted(service.url, csv(ROWS));
  await until(service.url, id, (batch) => batch.counts.done === ROWS);
  const roles = ['worker', 'aggregator'] as const;
  const seen = roles.map((): number[] => []);
  for (let second = 0; second < OUTAGE_S; second += 5) {
    roles.forEach((role, i) => seen[i].push(residentMb(service.processes[role])));
    await pause(5_000);
  }
  roles.forEach((role, i) =>
    record(
      `resident set of ${role}, geocoder down ${OUTAGE_S} s, ${ROWS.toLocaleString('en-US')} waiting`,
      `${seen[i][0]} to ${seen[i].at(-1)} MB`,
      `largest ${Math.max(...seen[i])} MB`,
    ),
  );
  const start = performance.now();
  await stub.tell({ down: false });
  await until(service.url, id, (batch) => batch.addresses.pending === 0);
  record('afterwards, up again: all of them located', perSecond(ROWS, performance.now() - start));
}

async function runGeocoding(): Promise<void> {
  const stub = await Stub.start();
  const service = await startService({
    ...process.env,
    GEOCODER_URL: stub.url,
    GEOCODE_CALLS_AT_ONCE: String(CALLS_AT_ONCE),
    GEOCODE_CALLS_PER_MINUTE: '100000',
    GEOCODE_CALL_ROWS: String(CALL_ROWS),
  });
  const pool = new pg.Pool({ connectionString: service.databaseUrl, max: 2 });
  try {
    const id = await throughput(service, stub);
    await parts(pool, id);
    await warm(service);
    await outage(service, stub);
  } finally {
    await pool.end();
    await service.stop();
    stub.stop();
  }
}

/** Addresses from the worker to the geocoder and back, against a geocoder of fixed latency. */
export const geocoding = command({
  what: 'addresses through a geocoder of fixed latency',
  options: {},
  async run() {
    rows.length = 0;
    await runGeocoding();
    return { columns: ['what', 'median', 'ratio'], rows: [...rows], passed: true };
  },
});
