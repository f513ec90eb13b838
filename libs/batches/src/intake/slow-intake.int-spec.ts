import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { createLogger } from '@donorlens/observability';
import { createPool } from '@donorlens/database';
import { type TestDatabase, testDatabase } from '../../../../test/support/servers';
import { until } from '../../../../test/support/until';
import { knownRelease, newApiKey, pipelineOn } from '../../../../test/support/pipeline/pipeline';
import { type IntakeRequest } from './intake-request';
import { INTAKE_LIMITS } from './limits';

const HEADER = 'row,first_name,last_name,date\n';
/** More than is read before a transaction is opened: rows that do not compress. */
const LARGE =
  HEADER +
  Array.from({ length: 95_000 }, (_, i) => {
    const noise = createHash('sha512').update(String(i)).digest('base64');
    return `${noise},Mary,Smith,2016-03-01\n`;
  }).join('');

describe('accepting a batch from a client that stops sending', () => {
  let db: TestDatabase;
  let pool: ReturnType<typeof createPool>;
  let apiKeyId: string;
  let pipeline: ReturnType<typeof pipelineOn>;

  beforeAll(async () => {
    db = await testDatabase();
    pool = createPool(db.url, createLogger('test', 'silent')); // as large as the api's
    pipeline = pipelineOn(pool, { chunkRows: 5000 });
    apiKeyId = await newApiKey(db.pool);
  });
  afterAll(async () => {
    await pool.end();
    await db.close();
  });
  beforeEach(() => db.pool.query('truncate batch cascade'));

  const request = (more: Partial<IntakeRequest> = {}): IntakeRequest => ({
    apiKeyId,
    type: 'contributions',
    format: 'csv',
    releaseId: 'sample.1',
    ...more,
  });
  /** An upload that stops in its middle, with its transaction open, until it is told to go on. */
  const stalled = (more: Partial<IntakeRequest> = {}) => {
    let goOn = (): void => undefined;
    const told = new Promise<void>((resolve) => (goOn = resolve));
    const source = Readable.from(
      (async function* () {
        yield Buffer.from(LARGE);
        await told;
        yield Buffer.from('end,Mary,Smith,2016-03-01\n');
      })(),
    );
    return { answer: pipeline.intake.accept(request(more), source), goOn };
  };
  const openTransactions = async (): Promise<number> => {
    const { rows } = await db.pool.query<{ n: number }>(
      `select count(*)::int as n from pg_stat_activity
       where datname = current_database() and query like 'copy chunk%' and state <> 'idle'`,
    );
    return rows[0].n;
  };
  const waitingForLocks = async (): Promise<number> => {
    const { rows } = await db.pool.query<{ n: number }>(
      `select count(*)::int as n from pg_stat_activity
       where datname = current_database() and wait_event_type = 'Lock'`,
    );
    return rows[0].n;
  };
  const small = (more: Partial<IntakeRequest> = {}) =>
    pipeline.intake.accept(request(more), Readable.from([Buffer.from(`${HEADER}1,Mary,Smith,2016-03-01\n`)]));

  it('rejects others with its idempotency key at once', async () => {
    const first = stalled({ idempotencyKey: 'k1' });
    await until('the upload is on its way', async () => (await openTransactions()) === 1);
    let waits = 0;
    const watch = setInterval(() => void waitingForLocks().then((n) => (waits += n)), 20);
    const others = await Promise.allSettled(Array.from({ length: 12 }, () => small({ idempotencyKey: 'k1' })));
    clearInterval(watch);
    for (const other of others)
      expect(other).toMatchObject({ status: 'rejected', reason: { code: 'idempotency_in_flight' } });
    expect(waits + (await waitingForLocks())).toBe(0);
    expect((await small({ idempotencyKey: 'k2' })).replayed).toBe(false);

    first.goOn();
    const { batch } = await first.answer;
    await expect(small({ idempotencyKey: 'k1' })).rejects.toMatchObject({ code: 'idempotency_mismatch' });
    const again = stalled({ idempotencyKey: 'k1' });
    again.goOn();
    expect(await again.answer).toMatchObject({ replayed: true, batch: { id: batch.id } });
  });

  it('leaves connections to other requests, however many uploads are slow', async () => {
    const keys = await Promise.all(Array.from({ length: INTAKE_LIMITS.streams + 8 }, () => newApiKey(db.pool)));
    const uploads = keys.map((key) => stalled({ apiKeyId: key }));
    const refused: string[] = [];
    const refusal = ({ code }: { code: string }): string => (refused.push(code), code);
    const answers = uploads.map(({ answer }) => answer.then(() => 'accepted').catch(refusal));
    await until('the uploads are on their way', async () => (await openTransactions()) === INTAKE_LIMITS.streams);
    await until('the others are refused', () => refused.length === 8);
    expect((await small()).replayed).toBe(false);
    const looks = Array.from({ length: 20 }, () => pool.query('select 1'));
    expect(await Promise.all(looks)).toHaveLength(20);
    for (const { goOn } of uploads) goOn();
    const codes = await Promise.all(answers);
    expect(codes.filter((code) => code === 'accepted')).toHaveLength(INTAKE_LIMITS.streams);
    expect(codes.filter((code) => code === 'busy')).toHaveLength(8);
  });

  it('rejects an input unread while too many wait for the database', async () => {
    const held = await Promise.all(Array.from({ length: pool.options.max }, () => pool.connect()));
    const waiting = Array.from({ length: INTAKE_LIMITS.waiting }, () => pool.query('select 1'));
    const source = Readable.from([Buffer.from(`${HEADER}1,Mary,Smith,2016-03-01\n`)]);
    const answer = await pipeline.intake.accept(request(), source).catch((error: unknown) => error);
    for (const client of held) client.release();
    expect(answer).toMatchObject({ code: 'busy', status: 503 });
    expect(source.readableDidRead).toBe(false);
    await Promise.all(waiting);
    expect((await pipeline.intake.accept(request(), source)).batch.rowsTotal).toBe(1);
  });

  it('limits concurrent inputs of one key', async () => {
    const { ofKey } = INTAKE_LIMITS.uploads;
    const uploads = Array.from({ length: ofKey + 2 }, () => stalled());
    await until('the first are on their way', async () => (await openTransactions()) === ofKey);
    expect((await small({ apiKeyId: await newApiKey(db.pool) })).replayed).toBe(false);
    for (const { goOn } of uploads) goOn();
    expect(await Promise.all(uploads.map(({ answer }) => answer.then(({ replayed }) => replayed)))).toEqual(
      uploads.map(() => false),
    );
  });

  it('frees the slots of aborted inputs', async () => {
    const broken = (): Readable =>
      Readable.from(
        (async function* () {
          yield await Promise.resolve(Buffer.from(LARGE.slice(0, 2 * INTAKE_LIMITS.freeBytes)));
          throw new Error('gone');
        })(),
      );
    for (let n = 0; n < INTAKE_LIMITS.uploads.ofKey; n++)
      await expect(pipeline.intake.accept(request(), broken())).rejects.toThrow();
    const { replayed } = await pipeline.intake.accept(request(), Readable.from([Buffer.from(LARGE)]));
    expect(replayed).toBe(false);
  });

  it('rejects the input if its release was removed meanwhile, so that the client sends it again', async () => {
    await knownRelease(db.pool, 'old');
    const upload = stalled({ releaseId: 'old' });
    await until('the upload is on its way', async () => (await openTransactions()) === 1);
    await db.pool.query(`delete from data_release where id = 'old'`);
    upload.goOn();
    await expect(upload.answer).rejects.toMatchObject({ code: 'release_gone', status: 503 });
    expect((await db.pool.query('select 1 from batch')).rowCount).toBe(0);
  });
});
