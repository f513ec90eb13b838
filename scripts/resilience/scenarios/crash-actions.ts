import { setTimeout as pause } from 'node:timers/promises';
import { type OpsTarget } from '@donorlens/operations';
import { until } from '../../../test/support/installation';
import { type Accepted, contributionsCsv } from '../support/batch-client';
import { requestAndWait } from '../support/operator';
import { sumOfOutcomes } from '../support/verification';
import { type CrashStage } from './crash-stage';

export interface Round {
  readonly stage: CrashStage;
  /** Starts at 0; each round has its own files and rows. */
  readonly nth: number;
}

/** A sentence that describes a failed check. */
export type Problem = string;

/** An action of a client or an operator, with its checks. */
export type Action = (round: Round) => Promise<Problem[]>;

const ROWS = 60;
const CANCELLED_ROWS = 400;
const ADDRESS_EVERY = 6;
const WAIT_MS = 240_000;
const BOTH_WAIT_MS = 5_000;
/** More than the 10 s after which the lease of a call is extended. */
const LEASE_EXTENDED_MS = 13_000;

/** Every round sends the same names and new addresses. */
const submit = (
  { stage: { client, receiver } }: Round,
  tag: string,
  rows: number,
  streets = [tag],
): Promise<Accepted> =>
  client.submit(tag, rows, contributionsCsv(tag, rows, ADDRESS_EVERY, streets), { 'webhook-url': receiver.url });

/**
 * Waits until a batch has ended and checks its counters, row order, addresses and webhook.
 * @param maxFailed - rows that may be marked as poison
 */
async function check({ stage }: Round, sent: Accepted, maxFailed = (): number => 0): Promise<Problem[]> {
  const { client, receiver } = stage;
  const { id, tag, rows } = sent;
  const problems: Problem[] = [];
  const { state, counts, addresses } = await client.ended(id, WAIT_MS);
  if (state !== 'completed' || counts.done !== rows || sumOfOutcomes(counts) !== rows || counts.failed > maxFailed())
    problems.push(`batch ${tag} is ${state}, ${JSON.stringify(counts)}`);
  const counted = Object.values(addresses).reduce((sum, count) => sum + count, 0);
  if (counted !== rows - counts.invalid - counts.failed || addresses.pending > 0)
    problems.push(`addresses of batch ${tag}: ${JSON.stringify(addresses)}`);
  const lines = (await client.results(id)).split('\n').slice(1, -1);
  const isInOrder = lines.every((line, at) => line.startsWith(`${tag}-${at + 1},`));
  if (lines.length !== rows || !isInOrder)
    problems.push(`rows of batch ${tag} differ from those sent: ${lines.length}`);
  const isDelivered = (): boolean => receiver.messages.some(({ body }) => body.includes(id));
  await until(`the webhook of batch ${tag}`, isDelivered, WAIT_MS);
  return problems;
}

/** A batch from its upload to its webhook. */
const completeBatch: Action = async (round) => check(round, await submit(round, `complete${round.nth}`, ROWS));

/** Submits a batch and sets three failures per chunk: it is retried row by row; two more crashes mark a row. */
const rowByRow: Action = async (round) => {
  const { pool } = round.stage;
  const before = round.stage.unexpectedExits('worker');
  const sent = await submit(round, `retried${round.nth}`, ROWS);
  await pool.query(`update chunk set runs = 3 where batch_id = $1 and state in ('pending', 'queued')`, [sent.id]);
  const maxFailed = (): number => Math.floor((round.stage.unexpectedExits('worker') - before) / 2);
  const problems = await check(round, sent, maxFailed);
  const { rows } = await pool.query<{ error_code: string }>(
    `select error_code from result where batch_id = $1 and error_code <> 'poison'`,
    [sent.id],
  );
  return [...problems, ...rows.map(({ error_code }) => `a row of batch ${sent.tag} failed: ${error_code}`)];
};

/** Cancels a batch while it runs (in every second round after some rows are done), then deletes it. */
const cancelled: Action = async (round) => {
  const { client } = round.stage;
  const sent = await submit(round, `cancelled${round.nth}`, CANCELLED_ROWS);
  const hasRows = async (): Promise<boolean> => (await client.batch(sent.id)).counts.done > 0;
  if (round.nth % 2 === 1) await until(`rows of batch ${sent.tag} are done`, hasRows, WAIT_MS);
  await client.answer(`/enrich/v1/batches/${sent.id}/cancel`, { method: 'POST' });
  const { state, counts } = await client.ended(sent.id, WAIT_MS);
  const problems: Problem[] = [];
  if (!['cancelled', 'completed'].includes(state) || sumOfOutcomes(counts) !== counts.done)
    problems.push(`batch ${sent.tag} is ${state}, ${JSON.stringify(counts)}`);
  await client.answer(`/enrich/v1/batches/${sent.id}`, { method: 'DELETE' });
  const { status } = await client.answer(`/enrich/v1/batches/${sent.id}`);
  if (status !== 404) problems.push(`batch ${sent.tag} exists after it was deleted: ${status}`);
  await untilErased(round, sent);
  return problems;
};

/** Waits until nothing of a deleted batch remains; an expired batch keeps its counts and webhook deliveries. */
async function untilErased({ stage: { pool } }: Round, { id, tag }: Accepted): Promise<void> {
  const isErased = async (): Promise<boolean> => {
    const { rows } = await pool.query<{ n: string }>(
      `select (select count(*) from batch where id = $1 and state <> 'expired') + (select count(*) from chunk where batch_id = $1)
            + (select count(*) from result where batch_id = $1) + (select count(*) from location_wait where batch_id = $1)
            + (select count(*) from geocode_address where asked_by = $1)
            + (select count(*) from webhook_delivery d where batch_id = $1 and not exists (select from batch where id = $1)) as n`,
      [id],
    );
    return rows[0].n === '0';
  };
  await until(`batch ${tag} is erased`, isErased, WAIT_MS);
}

/**
 * Two batches need the same addresses while the geocoder does not answer. One batch is deleted or expires; the other
 * must get its addresses. In one of four rounds this takes long, in another the geocoder refuses connections.
 */
const sharedAddresses: Action = async (round) => {
  const { geocoder, pool } = round.stage;
  const [erased, remaining, both] = ['erased', 'remaining', 'both'].map((tag) => `${tag}${round.nth}`);
  const waits = async ({ id }: Accepted): Promise<boolean> =>
    (await pool.query('select from location_wait where batch_id = $1 limit 1', [id])).rowCount === 1;
  const refuses = round.nth % 4 === 3;
  geocoder.set({ kind: refuses ? 'reset' : 'half-open' });
  try {
    const first = await submit(round, erased, ROWS, [erased, both]);
    const second = await submit(round, remaining, ROWS, [remaining, both]);
    // the wait is bounded: a worker that crashed may need long, and other batches need the geocoder, too
    const bothWait = async (): Promise<boolean> => (await waits(first)) && (await waits(second));
    await until('both wait for addresses', bothWait, BOTH_WAIT_MS).catch(() => undefined);
    if (endsWorker(round.nth)) await crashDuringLongCall(round);
    if (refuses) await untilCircuitIsOpen(round);
    await erase(round, first);
    geocoder.set({ kind: 'normal' });
    const problems = refuses ? await operate(round, 'redrive', { queue: 'geocode' }) : [];
    await untilErased(round, first);
    return [...problems, ...(await check(round, second))];
  } finally {
    geocoder.set({ kind: 'normal' });
  }
};

/** True for the rounds in which an action ends the worker once. */
export const endsWorker = (nth: number): boolean => nth % 4 === 2;

/** Waits until leases are extended; then the worker crashes, and this is the third failure of these calls. */
async function crashDuringLongCall({ stage }: Round): Promise<void> {
  await pause(LEASE_EXTENDED_MS);
  await stage.pool.query(`update geocode_call set failures = 2 where kind = 'batch' and state = 'leased'`);
  stage.end('worker', 'SIGKILL');
}

async function untilCircuitIsOpen({ stage: { pool } }: Round): Promise<void> {
  const isOpen = async (): Promise<boolean> =>
    (await pool.query(`select from geocoder where circuit ->> 'openedAt' is not null`)).rowCount === 1;
  await until('the circuit is open', isOpen, LEASE_EXTENDED_MS).catch(() => undefined);
}

/** Deletes the batch by request, in every second round by expiry. */
async function erase({ stage: { client, pool }, nth }: Round, { id }: Accepted): Promise<void> {
  if (nth % 2 === 0) return void (await client.answer(`/enrich/v1/batches/${id}`, { method: 'DELETE' }));
  await client.answer(`/enrich/v1/batches/${id}/cancel`, { method: 'POST' });
  await client.ended(id, WAIT_MS);
  await pool.query('update batch set expires_at = now() where id = $1', [id]);
}

/** A synchronous lookup, whose address is geocoded afterwards. */
const lookup: Action = async ({ stage: { client, pool }, nth }) => {
  const query = { first_name: 'Mary', last_name: 'Garcia', date: '2019-03-01', street: `${nth} Single Road` };
  const body = JSON.stringify({ queries: [{ ...query, city: 'Springfield', state: 'IL', zip: '62701' }] });
  const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body };
  const isGeocoded = async (): Promise<boolean> =>
    !(await client.answer('/enrich/v1/contributions', init)).text.includes('PENDING');
  await until('the address of a lookup is geocoded', isGeocoded, WAIT_MS);
  const sql = 'select count(*) as n from geocode_address where error_code is not null';
  const { n } = (await pool.query<{ n: string }>(sql)).rows[0];
  return n === '0' ? [] : [`${n} addresses are errors`];
};

/** Imports the round's files and activates its release at the same time. */
const files: Action = async (round) => [
  ...(
    await Promise.all([
      operate(round, 'refresh', { source: 'fec' }),
      operate(round, 'refresh', { source: 'reference-data' }),
      operate(round, 'redrive', { queue: 'enrich' }),
      operate(round, 'retry-addresses', { outcome: 'ERROR' }),
    ])
  ).flat(),
  ...(round.nth % 3 === 2 ? await operate(round, 'refresh', { source: 'charts' }) : []),
];

async function operate(
  { stage: { pool } }: Round,
  action: 'refresh' | 'redrive' | 'retry-addresses',
  target: OpsTarget,
): Promise<Problem[]> {
  const { state, detail } = await requestAndWait<object>(pool, action, target);
  return state === 'done' ? [] : [`${action} of ${JSON.stringify(target)} failed: ${JSON.stringify(detail)}`];
}

export const ACTIONS: readonly Action[] = [completeBatch, rowByRow, cancelled, sharedAddresses, lookup, files];
