import { newApiKey } from '../../../../test/support/pipeline/pipeline';
import { bytes, TestIntake } from '../../../../test/support/pipeline/test-intake';

describe('accepting further batches of a client', () => {
  const test = new TestIntake();
  const { request } = test;
  const csv = (rows: number): string =>
    `row,first_name,last_name,date\n${Array.from({ length: rows }, (_, i) => `${i + 1},Mary,Smith,2016-03-01\n`).join('')}`;

  it('counts the rows of a day over batches, and rejects a batch beyond the quota', async () => {
    const limited = request({ batchRowsPerDay: 30 });
    await test.pipeline.intake.accept(limited, bytes(csv(25)));
    await expect(test.pipeline.intake.accept(limited, bytes(csv(6)))).rejects.toMatchObject({ code: 'quota_exceeded' });
    await test.pipeline.intake.accept(limited, bytes(csv(5)));
    expect(await test.usedToday()).toBe(30);
  });

  it('keeps the quota for simultaneous batches', async () => {
    const limited = request({ batchRowsPerDay: 30 });
    const outcomes = await Promise.allSettled(
      [1, 2, 3, 4].map(() => test.pipeline.intake.accept(limited, bytes(csv(10)))),
    );
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(3);
    expect(await test.usedToday()).toBe(30);
  });

  describe('with an idempotency key', () => {
    it('answers the same body with the first batch, and uses no quota again', async () => {
      const keyed = request({ idempotencyKey: 'k1', batchRowsPerDay: 25 });
      const first = await test.pipeline.intake.accept(keyed, bytes(csv(25)));
      const second = await test.pipeline.intake.accept(keyed, bytes(csv(25), 333));
      expect(second).toMatchObject({ replayed: true, batch: { id: first.batch.id } });
      expect([await test.rowsOf('batch'), await test.rowsOf('chunk'), await test.usedToday()]).toEqual([1, 3, 25]);
    });

    it('refuses another body or other options', async () => {
      await test.pipeline.intake.accept(request({ idempotencyKey: 'k1' }), bytes(csv(3)));
      for (const [more, rows] of [
        [{}, 4],
        [{ minAge: 18 }, 3],
        [{ mapping: { id: 'row' } }, 3],
      ] as const)
        await expect(
          test.pipeline.intake.accept(request({ idempotencyKey: 'k1', ...more }), bytes(csv(rows))),
        ).rejects.toMatchObject({ code: 'idempotency_mismatch', status: 422 });
      expect(await test.rowsOf('batch')).toBe(1);
    });

    it('creates one batch of simultaneous requests, and rejects early repeats', async () => {
      const keyed = request({ idempotencyKey: 'k1' });
      const send = (i: number) => test.pipeline.intake.accept(keyed, bytes(csv(40), 100 * i));
      const answers = await Promise.allSettled([1, 2, 3, 4].map(send));
      const made = answers.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value] : []));
      expect(made.filter(({ replayed }) => !replayed)).toHaveLength(1);
      for (const answer of answers)
        if (answer.status === 'rejected')
          expect(answer.reason).toMatchObject({ code: 'idempotency_in_flight', status: 409 });
      expect(await send(5)).toMatchObject({ replayed: true, batch: { id: made[0].batch.id } });
      expect([await test.rowsOf('batch'), await test.rowsOf('chunk'), await test.usedToday()]).toEqual([1, 4, 40]);
    });

    it('accepts the second request if the first one fails', async () => {
      const keyed = request({ idempotencyKey: 'k1' });
      await expect(test.pipeline.intake.accept(keyed, bytes('name,date\n'))).rejects.toMatchObject({ code: 'no_rows' });
      expect(await test.pipeline.intake.accept(keyed, bytes(csv(2)))).toMatchObject({ replayed: false });
    });

    it('separates the keys of different clients', async () => {
      const first = await test.pipeline.intake.accept(request({ idempotencyKey: 'k1' }), bytes(csv(2)));
      const other = request({ idempotencyKey: 'k1', apiKeyId: await newApiKey(test.db.pool) });
      expect((await test.pipeline.intake.accept(other, bytes(csv(2)))).batch.id).not.toBe(first.batch.id);
    });
  });
});
