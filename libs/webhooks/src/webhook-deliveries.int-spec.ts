import { randomUUID } from 'node:crypto';
import { type LookupAddress } from 'node:dns';
import { Readable } from 'node:stream';
import pino from 'pino';
import { BatchRepository } from '@donorlens/batches';
import { type Fence, LeaseRepository, StaleFenceError } from '@donorlens/database';
import { type TestDatabase, testDatabase } from '../../../test/support/servers';
import { until } from '../../../test/support/until';
import { newApiKey } from '../../../test/support/pipeline/pipeline';
import { WebhookReceiver } from '../../../test/support/servers/webhook-receiver';
import { DeliveryRepository, NEEDS_MESSAGE } from './delivery.repository';
import { type DeliveryOptions, WebhookDeliveries } from './webhook-deliveries';
import { webhookSecret } from './message';

const ADDRESS_SECRET = 'a secret of the tests';
const PUBLIC: LookupAddress = { address: '93.184.215.14', family: 4 };
const LOCAL: LookupAddress = { address: '127.0.0.1', family: 4 };

let db: TestDatabase;
let receiver: WebhookReceiver;
let apiKeyId: string;
let fence: Fence;
let log: string;
const running = new AbortController();

beforeAll(async () => {
  db = await testDatabase();
  fence = { lease: 'leader', epoch: (await new LeaseRepository(db.pool).acquire('leader', 'a test')) ?? '' };
});
afterAll(() => db.close());
beforeEach(async () => {
  await db.pool.query('truncate batch, webhook_delivery, api_key cascade');
  apiKeyId = await newApiKey(db.pool);
  receiver = await WebhookReceiver.start();
  log = '';
});
afterEach(() => receiver.stop());

const leader = (options: Partial<DeliveryOptions> = {}, repository = new DeliveryRepository(db.pool)) =>
  new WebhookDeliveries(repository, pino({ level: 'trace' }, { write: (line: string) => void (log += line) }), {
    addressSecret: ADDRESS_SECRET,
    allowedHosts: [receiver.host],
    ...options,
  });

/** A batch of 3 rows that has ended. */
async function ended(given: Record<string, unknown> = {}): Promise<string> {
  const row = {
    id: randomUUID(),
    api_key_id: apiKeyId,
    type: 'contributions',
    input_format: 'csv',
    data_release: 'sample.1',
    state: 'completed',
    rows_total: 3,
    ok_rows: 2,
    invalid_rows: 1,
    match_rows: 2,
    finished_at: '2026-11-20T12:00:00Z',
    expires_at: '2036-11-20T12:00:00Z',
    webhook_url: receiver.url,
    ...given,
  };
  const names = Object.keys(row);
  const places = names.map((_, i) => `$${i + 1}`);
  await db.pool.query(`insert into batch (${names.join()}) values (${places.join()})`, Object.values(row));
  return row.id;
}

/** Everything that is due, sent and answered. */
async function deliverDue(by: WebhookDeliveries = leader()): Promise<void> {
  await by.createDue();
  await by.deliver(fence, running.signal);
  await by.idle();
}

/** The next try is due. */
const later = () => db.pool.query('update webhook_delivery set next_at = now()');

async function deliveries(): Promise<Record<string, unknown>[]> {
  const { rows } = await db.pool.query<Record<string, unknown>>(
    'select event, state, attempts, last_status as status, last_error as error from webhook_delivery order by event',
  );
  return rows;
}

const secret = () => webhookSecret(ADDRESS_SECRET, apiKeyId);

describe('the webhook of a batch', () => {
  it('is sent once, signed, with counts and links and no row', async () => {
    const id = await ended();
    await deliverDue();
    await deliverDue();
    expect(receiver.messages).toHaveLength(1);
    expect(receiver.messages[0].headers['content-type']).toBe('application/json');
    expect(receiver.verified(secret(), receiver.messages[0])).toEqual({
      type: 'batch.completed',
      timestamp: '2026-11-20T12:00:00.000Z',
      data: expect.objectContaining({
        id,
        state: 'completed',
        counts: { total: 3, done: 3, ok: 2, partial: 0, not_found: 0, invalid: 1, failed: 0 },
        addresses: { match: 2, no_match: 0, tie: 0, skipped: 0, pending: 0 },
        links: {
          self: `/enrich/v1/batches/${id}`,
          results: `/enrich/v1/batches/${id}/results`,
          errors: `/enrich/v1/batches/${id}/errors`,
        },
      }),
    });
    expect(await deliveries()).toEqual([
      { event: 'batch.completed', state: 'delivered', attempts: 1, status: 204, error: null },
    ]);
  });

  it('is sent for any final state of the batch, and not without a URL', async () => {
    await ended({ state: 'cancelled' });
    await ended({ state: 'failed', error_code: 'unreadable' });
    await ended({ state: 'running', finished_at: null });
    await ended({ webhook_url: null });
    await deliverDue();
    expect(receiver.messages.map(({ body }) => (JSON.parse(body) as { type: string }).type).sort()).toEqual([
      'batch.cancelled',
      'batch.failed',
    ]);
  });

  it('is sent again as batch.located after the last late address was geocoded', async () => {
    const id = await ended({ pending_rows: 1, match_rows: 1 });
    await deliverDue();
    await db.pool.query('update batch set pending_rows = 0, match_rows = 2, located_at = now() where id = $1', [id]);
    await deliverDue();
    expect(receiver.messages.map((message) => receiver.verified(secret(), message).type)).toEqual([
      'batch.completed',
      'batch.located',
    ]);
  });

  it('has a status: before the first event, after a failed attempt and after the delivery of the newest message', async () => {
    const repository = new DeliveryRepository(db.pool);
    const status = (id: string) => repository.statusOf(id);
    const host = receiver.host;
    const unfinished = await ended({ state: 'running', finished_at: null, webhook_url: receiver.url.toUpperCase() });
    const none = { event: null, state: 'pending', attempts: 0, status: null, error: null, at: null };
    expect(await status(unfinished)).toEqual({ host, ...none });
    expect(await status(await ended({ webhook_url: null }))).toBeNull();
    const id = await ended({ pending_rows: 1, match_rows: 1 });
    receiver.next(503);
    await deliverDue();
    const refused = { event: 'batch.completed', state: 'pending', attempts: 1, status: 503, error: 'refused' };
    expect(await status(id)).toEqual({ host, ...refused, at: expect.any(Date) });
    await db.pool.query('update batch set pending_rows = 0, match_rows = 2, located_at = now() where id = $1', [id]);
    await later();
    await deliverDue();
    const located = { event: 'batch.located', state: 'delivered', attempts: 1, status: 204, error: null };
    expect(await status(id)).toEqual({ host, ...located, at: expect.any(Date) });
  });

  it('is found by an index that holds only batches that need a message', async () => {
    const toTell = async (): Promise<string> => {
      const client = await db.pool.connect();
      await client.query('begin; set local enable_seqscan = off; set local enable_bitmapscan = off');
      const { rows } = await client.query<{ 'QUERY PLAN': string }>(
        `explain (analyze, costs off, timing off, summary off, buffers off) select id from batch where ${NEEDS_MESSAGE}`,
      );
      await client.query('rollback');
      client.release();
      return rows[0]['QUERY PLAN'];
    };
    const id = await ended({ pending_rows: 1, match_rows: 1 });
    await ended();
    await ended({ state: 'running', finished_at: null });
    expect(await toTell()).toMatch(/^Index Scan using batch_to_tell on batch .*rows=2\b/);
    expect(await leader().createDue()).toBe(2);
    expect(await toTell()).toMatch(/batch_to_tell .*rows=0\b/);
    await db.pool.query('update batch set pending_rows = 0, match_rows = 2, located_at = now() where id = $1', [id]);
    expect(await toTell()).toMatch(/batch_to_tell .*rows=1\b/);
    expect(await leader().createDue()).toBe(1);
    expect(await leader().createDue()).toBe(0);
  });

  it('is not sent after the batch is deleted', async () => {
    const id = await ended();
    await leader().createDue();
    await new BatchRepository(db.pool).delete(apiKeyId, id);
    await deliverDue();
    expect(receiver.messages).toEqual([]);
    expect(await deliveries()).toEqual([]);
  });

  it.each(['revoked', 'expired'])('is not sent for a key that is %s', async (how) => {
    await ended();
    await db.pool.query(`update api_key set ${how === 'revoked' ? 'revoked_at' : 'expires_at'} = now()`);
    await deliverDue();
    expect(receiver.messages).toEqual([]);
    expect(await deliveries()).toMatchObject([{ state: 'failed', error: `key_${how}` }]);
  });
});

function* endless(): Generator<string> {
  for (;;) yield 'x'.repeat(65_536);
}

describe('a receiver that fails', () => {
  it('gets the message again with the same id when the retry is due', async () => {
    await ended();
    receiver.next(500);
    await deliverDue();
    expect(await deliveries()).toMatchObject([{ state: 'pending', attempts: 1, status: 500, error: 'refused' }]);
    await deliverDue();
    expect(receiver.messages).toHaveLength(1);
    await later();
    await deliverDue();
    expect(await deliveries()).toMatchObject([{ state: 'delivered', attempts: 2, status: 204, error: null }]);
    const [first, second] = receiver.messages.map(({ headers }) => headers['webhook-id']);
    expect(second).toBe(first);
  });

  it('is not waited for after the time limit', async () => {
    await ended();
    receiver.next(() => undefined);
    await deliverDue(leader({ totalMs: 150 }));
    expect(await deliveries()).toMatchObject([{ state: 'pending', status: null, error: 'timeout' }]);
  });

  it('may send an endless answer, which is not read', async () => {
    await ended();
    receiver.next((response) => {
      response.writeHead(200);
      Readable.from(endless())
        .pipe(response)
        .on('error', () => undefined);
    });
    await deliverDue();
    expect(await deliveries()).toMatchObject([{ state: 'delivered', status: 200 }]);
  });

  it('that answers 410 gets neither a retry nor the message of late addresses', async () => {
    const id = await ended({ pending_rows: 1 });
    receiver.next(410);
    await deliverDue();
    await db.pool.query('update batch set pending_rows = 0, located_at = now() where id = $1', [id]);
    await later();
    await deliverDue();
    expect(receiver.messages).toHaveLength(1);
    expect(await deliveries()).toEqual([
      { event: 'batch.completed', state: 'failed', attempts: 1, status: 410, error: 'gone' },
    ]);
  });

  it('does not delay another one', async () => {
    const dead = await WebhookReceiver.start();
    dead.always(() => undefined);
    const stop = new AbortController();
    const leading = leader({ allowedHosts: ['127.0.0.1'] });
    for (let i = 0; i < 80; i++) await ended({ webhook_url: dead.url });
    await leading.createDue();
    await leading.deliver(fence, stop.signal);
    await ended();
    await leading.createDue();
    expect(await leading.deliver(fence, stop.signal)).toBe(1);
    await until('the other one has its message', () => receiver.messages.length === 1);
    stop.abort();
    await leading.idle();
    await dead.stop();
  });
});

describe('a private host', () => {
  const NAME = 'hooks.example.org';
  const https = () => `https://${NAME}:${receiver.port}/hook`;

  it.each([
    ['the only address', [LOCAL]],
    ['one of several', [PUBLIC, LOCAL]],
    ['an IPv6 address that holds it', [{ address: '::ffff:127.0.0.1', family: 6 }]],
  ])('is not connected to if a public name resolves to it: %s', async (_what, addresses) => {
    await ended({ webhook_url: https() });
    await deliverDue(leader({ resolve: () => Promise.resolve(addresses) }));
    expect(await deliveries()).toMatchObject([{ state: 'pending', error: 'private_address' }]);
    expect(receiver.messages).toEqual([]);
  });

  it('is not reached by a redirect', async () => {
    const inner = await WebhookReceiver.start();
    await ended();
    receiver.next(307, { location: inner.url });
    await deliverDue(leader({ allowedHosts: ['127.0.0.1'] }));
    expect(await deliveries()).toMatchObject([{ state: 'pending', status: 307, error: 'refused' }]);
    expect(inner.messages).toEqual([]);
    await inner.stop();
  });

  it('gets no message after the operator has removed it', async () => {
    await ended();
    await deliverDue(leader({ allowedHosts: [] }));
    expect(await deliveries()).toMatchObject([{ state: 'pending', error: 'url_refused' }]);
    expect(receiver.messages).toEqual([]);
  });

  it('that is allowed is resolved once, and the connection uses that address', async () => {
    await ended({ webhook_url: `http://${NAME}:${receiver.port}/hook` });
    const resolve = jest.fn(() => Promise.resolve([LOCAL]));
    await deliverDue(leader({ allowedHosts: [NAME], resolve }));
    expect(resolve.mock.calls).toEqual([[NAME, true]]);
    expect(receiver.messages[0].headers.host).toBe(`${NAME}:${receiver.port}`);
  });
});

describe('a former leader', () => {
  it('that stops between sending and storing leaves a message that the next one sends again with the same id', async () => {
    await ended();
    const dying = new DeliveryRepository(db.pool);
    dying.recordResult = () => Promise.reject(new Error('the process is gone'));
    await deliverDue(leader({}, dying));
    await deliverDue(); // the claim holds
    expect(receiver.messages).toHaveLength(1);
    await later();
    await deliverDue();
    const ids = receiver.messages.map(({ headers }) => headers['webhook-id']);
    expect(ids).toEqual([ids[0], ids[0]]);
    expect(await deliveries()).toMatchObject([{ state: 'delivered', attempts: 2 }]);
  });

  it('that is late does not change what the next one has delivered', async () => {
    await ended();
    const repository = new DeliveryRepository(db.pool);
    await repository.createDue();
    const [claimed] = await repository.claim(fence, { messages: 1, perHost: 1, busyHosts: [] });
    await later();
    await deliverDue();
    await repository.recordResult(claimed, { state: 'pending', status: 500, error: 'refused', waitMs: 0 });
    expect(await deliveries()).toMatchObject([{ state: 'delivered', attempts: 2, status: 204 }]);
  });

  it('sends nothing after another one leads', async () => {
    await ended();
    const late = { ...fence, epoch: '999' };
    await leader().createDue();
    await expect(leader().deliver(late, running.signal)).rejects.toThrow(StaleFenceError);
    expect(receiver.messages).toEqual([]);
  });

  it('and its successor send each message once at the same time', async () => {
    for (let i = 0; i < 4; i++) await ended();
    await Promise.all([deliverDue(), deliverDue(), deliverDue()]);
    expect(new Set(receiver.messages.map(({ headers }) => headers['webhook-id'])).size).toBe(4);
    expect(receiver.messages).toHaveLength(4);
  });
});

it('never writes a URL into the log', async () => {
  const secretive = `${receiver.url}/token-of-mine?key=hidden`;
  await ended({ webhook_url: secretive });
  await ended({ webhook_url: 'https://hooks.example.org/token-of-mine' });
  receiver.next(500);
  await deliverDue(leader({ resolve: () => Promise.resolve([LOCAL]) }));
  expect(log).toContain('webhook delivery failed, will be retried');
  for (const part of ['token-of-mine', 'hidden', 'hooks.example.org', receiver.host]) expect(log).not.toContain(part);
});
