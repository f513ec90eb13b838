import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { until } from '../installation';
import { type Batch } from './asking';
import { type Scene, type Wrong, asked } from './scene';

/** Something a client or an operator does, from its first word to its last. */
export type Act = (scene: Scene) => Promise<Wrong[]>;

const ROWS = 60;
const STOPPED_ROWS = 400;
const STREET_EVERY = 6;
const TOLD_MS = 240_000;
const FROZEN_MS = 5_000;
/** Above the 10 s after which the lease of a call is extended. */
const LONG_MS = 13_000;
const OUTCOMES = ['ok', 'partial', 'not_found', 'invalid', 'failed'];

const HEADER = 'row_id,first_name,last_name,date,street,city,state,zip';
const NAMES = ['Mary', 'James', 'Linda', 'Robert', 'Ashley', 'Ethan', 'Zzyzx'];
const SURNAMES = ['Smith', 'Garcia', 'Nguyen', 'Washington', 'Yoder'];

/** Names are those of every round, addresses nobody has asked for before. */
function csvOf(tag: string, rows: number, streets: readonly string[] = [tag]): string {
  const lines = [HEADER];
  for (let row = 1; row <= rows; row++) {
    const place =
      row % STREET_EVERY === 0
        ? `${row} ${streets[(row / STREET_EVERY) % streets.length]} Street,Springfield,IL,62701`
        : ',,,';
    lines.push(
      `${tag}-${row},${NAMES[row % 7]},${SURNAMES[row % 5]},${2004 + (row % 16)}-0${1 + (row % 9)}-15,${place}`,
    );
  }
  return `${lines.join('\n')}\n`;
}

const accepted = ({ asking, hook }: Scene, tag: string, rows: number, streets?: readonly string[]): Promise<Batch> =>
  asking.batch('/enrich/v1/batches?type=contributions', {
    method: 'POST',
    headers: { 'content-type': 'text/csv', 'idempotency-key': randomUUID(), 'webhook-url': hook.url },
    body: csvOf(tag, rows, streets),
  });

/**
 * Everything about a batch that has completed: its sums, its rows in their order, and that its end was told.
 * @param mayFail rows that may be marked as having ended their worker, at most
 */
async function wholeFaults(
  scene: Scene,
  { id }: Batch,
  tag: string,
  rows: number,
  mayFail = (): number => 0,
): Promise<Wrong[]> {
  const wrong: Wrong[] = [];
  const { state, counts, addresses } = await scene.asking.ended(id);
  const sum = OUTCOMES.reduce((all, outcome) => all + counts[outcome], 0);
  if (state !== 'completed' || counts.done !== rows || sum !== rows || counts.failed > mayFail())
    wrong.push(`batch ${tag} is ${state}, ${JSON.stringify(counts)}`);
  const located = Object.values(addresses).reduce((all, n) => all + n, 0);
  if (located !== rows - counts.invalid - counts.failed || addresses.pending > 0)
    wrong.push(`addresses of batch ${tag}: ${JSON.stringify(addresses)}`);
  const { text } = await scene.asking.answer(`/enrich/v1/batches/${id}/results?format=csv`);
  const ids = text
    .split('\n')
    .slice(1, -1)
    .map((line) => line.slice(0, line.indexOf(',')));
  const sent = Array.from({ length: rows }, (_, at) => `${tag}-${at + 1}`);
  if (ids.join() !== sent.join()) wrong.push(`rows of batch ${tag} are not those that were sent: ${ids.length}`);
  await until(`the end of batch ${tag} is told`, () => scene.hook.told.has(id), TOLD_MS);
  return wrong;
}

/** Accepted, looked up, located, told, read. */
const batch: Act = async (scene) => {
  const tag = `whole${scene.round}`;
  return wholeFaults(scene, await accepted(scene, tag, ROWS), tag, ROWS);
};

/** As if its chunks had ended three workers before: they go row by row, and two more ends may be blamed on a row. */
const suspect: Act = async (scene) => {
  const tag = `suspect${scene.round}`;
  const endsBefore = scene.workers.ends();
  const sent = await accepted(scene, tag, ROWS);
  await scene.pool.query(`update chunk set runs = 3 where batch_id = $1 and state in ('pending', 'queued')`, [sent.id]);
  const wrong = await wholeFaults(scene, sent, tag, ROWS, () => Math.floor((scene.workers.ends() - endsBefore) / 2));
  const { rows } = await scene.pool.query<{ error_code: string }>(
    `select error_code from result where batch_id = $1 and error_code <> 'poison'`,
    [sent.id],
  );
  return [...wrong, ...rows.map(({ error_code }) => `a row of batch ${tag} failed: ${error_code}`)];
};

/** Cancelled while it runs, in every second round once some rows are done and their addresses asked for, then deleted: nothing of it stays. */
const stopped: Act = async (scene) => {
  const { asking, round } = scene;
  const tag = `stopped${round}`;
  const { id } = await accepted(scene, tag, STOPPED_ROWS);
  if (round % 2 === 1)
    await until(
      `rows of batch ${tag} are done`,
      async () => (await asking.batch(`/enrich/v1/batches/${id}`)).counts.done > 0,
      TOLD_MS,
    );
  await asking.answer(`/enrich/v1/batches/${id}/cancel`, { method: 'POST' });
  const { state, counts } = await asking.ended(id);
  const wrong: Wrong[] = [];
  const sum = OUTCOMES.reduce((all, outcome) => all + counts[outcome], 0);
  if (!['cancelled', 'completed'].includes(state) || sum !== counts.done)
    wrong.push(`batch ${tag} is ${state}, ${JSON.stringify(counts)}`);
  await asking.answer(`/enrich/v1/batches/${id}`, { method: 'DELETE' });
  const { status } = await asking.answer(`/enrich/v1/batches/${id}`);
  if (status !== 404) wrong.push(`batch ${tag} is there after it was deleted: ${status}`);
  await untilGone(scene, id, tag);
  return wrong;
};

/** Nothing of a batch stays; of one that has expired its counts, and what was told of it. */
async function untilGone({ pool }: Scene, id: string, tag: string): Promise<void> {
  const left = async (): Promise<boolean> => {
    const { rows } = await pool.query<{ n: string }>(
      `select (select count(*) from batch where id = $1 and state <> 'expired') + (select count(*) from chunk where batch_id = $1)
            + (select count(*) from result where batch_id = $1) + (select count(*) from location_wait where batch_id = $1)
            + (select count(*) from geocode_address where asked_by = $1)
            + (select count(*) from webhook_delivery d where batch_id = $1 and not exists (select from batch where id = $1)) as n`,
      [id],
    );
    return Number(rows[0].n) > 0;
  };
  await until(`nothing of batch ${tag} is left`, async () => !(await left()), TOLD_MS);
}

/**
 * Two batches ask for the same addresses while the geocoder does not answer. One is forgotten meanwhile, by who sent it
 * or as it has expired; the other has what it asked for. The geocoder stands still, in every fourth round for long, or
 * refuses in every fourth until it is left alone.
 */
const forgotten: Act = async (scene) => {
  const { geocoder, pool, round } = scene;
  const [gone, kept, both] = ['gone', 'kept', 'both'].map((tag) => `${tag}${round}`);
  const asks = async ({ id }: Batch): Promise<boolean> =>
    (await pool.query('select from location_wait where batch_id = $1 limit 1', [id])).rowCount === 1;
  const refuses = round % 4 === 3;
  geocoder.set({ kind: refuses ? 'reset' : 'half-open' });
  try {
    const [first, second] = [
      await accepted(scene, gone, ROWS, [gone, both]),
      await accepted(scene, kept, ROWS, [kept, both]),
    ];
    // a worker that has just ended may be long in coming: the geocoder is not kept from the others for ever
    const bothAsk = async (): Promise<boolean> => (await asks(first)) && (await asks(second));
    await until('both ask', bothAsk, FROZEN_MS).catch(() => undefined);
    if (round % 4 === 2) await workersEndForIt(scene);
    if (refuses) await leftAlone(scene);
    await forget(scene, first);
    geocoder.set({ kind: 'fair' });
    const wrong = refuses ? await asked(scene, { queue: 'geocode' }, 'redrive') : [];
    await untilGone(scene, first.id, gone);
    return [...wrong, ...(await wholeFaults(scene, second, kept, ROWS))];
  } finally {
    geocoder.set({ kind: 'fair' });
  }
};

/** Long enough that leases are extended; then the worker ends, as if it were the third for the sake of its calls. */
async function workersEndForIt({ pool, workers }: Scene): Promise<void> {
  await pause(LONG_MS);
  await pool.query(`update geocode_call set failures = 2 where kind = 'batch' and state = 'leased'`);
  workers.end();
}

/** Until the circuit is open; one that has been for long lets a call through. */
async function leftAlone({ pool }: Scene): Promise<void> {
  const isOpen = async (): Promise<boolean> =>
    (await pool.query(`select from geocoder where circuit #>> '{ownState,value}' = '1'`)).rowCount === 1;
  if (await isOpen()) return;
  await until('the circuit is open', isOpen, LONG_MS).catch(() => undefined);
}

/** In every second round by time instead of a request. */
async function forget({ asking, pool, round }: Scene, { id }: Batch): Promise<void> {
  if (round % 2 === 0) return void (await asking.answer(`/enrich/v1/batches/${id}`, { method: 'DELETE' }));
  await asking.answer(`/enrich/v1/batches/${id}/cancel`, { method: 'POST' });
  await asking.ended(id);
  await pool.query('update batch set expires_at = now() where id = $1', [id]);
}

/** A question that is answered at once, and whose address is asked for afterwards. */
const single: Act = async ({ asking, pool, round }) => {
  const query = { first_name: 'Mary', last_name: 'Garcia', date: '2019-03-01', street: `${round} Single Road` };
  const body = JSON.stringify({ queries: [{ ...query, city: 'Springfield', state: 'IL', zip: '62701' }] });
  const ask = async (): Promise<string> =>
    (
      await asking.answer('/enrich/v1/contributions', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body,
      })
    ).text;
  await until('the address of a single question is located', async () => !/PENDING/.test(await ask()), TOLD_MS);
  const { rows } = await pool.query<{ n: string }>(
    `select count(*) as n from geocode_address where error_code is not null`,
  );
  return rows[0].n === '0' ? [] : [`${rows[0].n} addresses are errors`];
};

/** The round's files are imported and its release activated, at the same time. */
const files: Act = async (scene) => [
  ...(
    await Promise.all([
      asked(scene, { source: 'fec' }, 'refresh'),
      asked(scene, { source: 'reference-data' }, 'refresh'),
      asked(scene, { queue: 'enrich' }, 'redrive'),
      asked(scene, { outcome: 'ERROR' }, 'retry-addresses'),
    ])
  ).flat(),
  ...(scene.round % 3 === 2 ? await asked(scene, { source: 'charts' }, 'refresh') : []),
];

export const ACTS: readonly Act[] = [batch, suspect, stopped, forgotten, single, files];
