import { Readable } from 'node:stream';
import { type TestDatabase, testDatabase } from '../../../../test/support/servers';
import { newApiKey, pipelineOn } from '../../../../test/support/pipeline/pipeline';
import { type IntakeRequest } from './intake-request';

describe('accepting a batch of a client who has sent some before', () => {
  let db: TestDatabase;
  let apiKeyId: string;
  let pipeline: ReturnType<typeof pipelineOn>;

  beforeAll(async () => {
    db = await testDatabase();
    pipeline = pipelineOn(db.pool);
  });
  afterAll(() => db.close());
  beforeEach(async () => {
    apiKeyId = await newApiKey(db.pool);
  });

  const request = (more: Partial<IntakeRequest> = {}): IntakeRequest => ({
    apiKeyId,
    type: 'contributions',
    format: 'csv',
    releaseId: 'sample.1',
    ...more,
  });
  const bytes = (text: string | Buffer, size = 1000): Readable =>
    Readable.from(
      (function* () {
        const whole = Buffer.from(text as string);
        for (let at = 0; at < whole.length; at += size) yield whole.subarray(at, at + size);
      })(),
    );
  const rowsOf = async (table: string): Promise<number> => {
    const { rows } = await db.pool.query<{ n: number }>(
      `select count(*)::int as n from ${table} ${table === 'chunk' ? 'where batch_id in (select id from batch where api_key_id = $1)' : 'where api_key_id = $1'}`,
      [apiKeyId],
    );
    return rows[0].n;
  };
  const usedToday = async (): Promise<number> => {
    const { rows } = await db.pool.query<{ batch_rows: string }>(
      'select batch_rows from key_usage where api_key_id = $1',
      [apiKeyId],
    );
    return Number(rows[0]?.batch_rows ?? 0);
  };
  const csv = (rows: number): string =>
    `row,first_name,last_name,date\n${Array.from({ length: rows }, (_, i) => `${i + 1},Mary,Smith,2016-03-01\n`).join('')}`;

  it('counts the rows of a day over batches, and refuses the one that goes beyond', async () => {
    const limited = request({ batchRowsPerDay: 30 });
    await pipeline.intake.accept(limited, bytes(csv(25)));
    await expect(pipeline.intake.accept(limited, bytes(csv(6)))).rejects.toMatchObject({ code: 'quota_exceeded' });
    await pipeline.intake.accept(limited, bytes(csv(5)));
    expect(await usedToday()).toBe(30);
  });

  it('holds the quota against batches that arrive together', async () => {
    const limited = request({ batchRowsPerDay: 30 });
    const outcomes = await Promise.allSettled([1, 2, 3, 4].map(() => pipeline.intake.accept(limited, bytes(csv(10)))));
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(3);
    expect(await usedToday()).toBe(30);
  });

  describe('under an idempotency key', () => {
    it('answers the same body with the first batch, and uses no quota again', async () => {
      const keyed = request({ idempotencyKey: 'k1', batchRowsPerDay: 25 });
      const first = await pipeline.intake.accept(keyed, bytes(csv(25)));
      const second = await pipeline.intake.accept(keyed, bytes(csv(25), 333));
      expect(second).toMatchObject({ replayed: true, batch: { id: first.batch.id } });
      expect([await rowsOf('batch'), await rowsOf('chunk'), await usedToday()]).toEqual([1, 3, 25]);
    });

    it('refuses another body or other options', async () => {
      await pipeline.intake.accept(request({ idempotencyKey: 'k1' }), bytes(csv(3)));
      for (const [more, rows] of [
        [{}, 4],
        [{ minAge: 18 }, 3],
        [{ mapping: { id: 'row' } }, 3],
      ] as const)
        await expect(
          pipeline.intake.accept(request({ idempotencyKey: 'k1', ...more }), bytes(csv(rows))),
        ).rejects.toMatchObject({ code: 'idempotency_mismatch', status: 422 });
      expect(await rowsOf('batch')).toBe(1);
    });

    it('makes one batch of requests that come at the same time; who comes too early is told so', async () => {
      const keyed = request({ idempotencyKey: 'k1' });
      const send = (i: number) => pipeline.intake.accept(keyed, bytes(csv(40), 100 * i));
      const answers = await Promise.allSettled([1, 2, 3, 4].map(send));
      const made = answers.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value] : []));
      expect(made.filter(({ replayed }) => !replayed)).toHaveLength(1);
      for (const answer of answers)
        if (answer.status === 'rejected')
          expect(answer.reason).toMatchObject({ code: 'idempotency_in_flight', status: 409 });
      expect(await send(5)).toMatchObject({ replayed: true, batch: { id: made[0].batch.id } });
      expect([await rowsOf('batch'), await rowsOf('chunk'), await usedToday()]).toEqual([1, 4, 40]);
    });

    it('lets the second request through when the first one fails', async () => {
      const keyed = request({ idempotencyKey: 'k1' });
      await expect(pipeline.intake.accept(keyed, bytes('name,date\n'))).rejects.toMatchObject({ code: 'no_rows' });
      expect(await pipeline.intake.accept(keyed, bytes(csv(2)))).toMatchObject({ replayed: false });
    });

    it('knows the keys of one client apart from those of another', async () => {
      const first = await pipeline.intake.accept(request({ idempotencyKey: 'k1' }), bytes(csv(2)));
      const other = request({ idempotencyKey: 'k1', apiKeyId: await newApiKey(db.pool) });
      expect((await pipeline.intake.accept(other, bytes(csv(2)))).batch.id).not.toBe(first.batch.id);
    });
  });
});
