import fc from 'fast-check';
import { type TestDatabase, testDatabase } from '../../../test/support/servers';
import { newApiKey, pipelineOn, uniformLines } from '../../../test/support/pipeline/pipeline';
import { isFinal } from './batch-state';
import { type ClaimedChunk } from './chunk';
import { storeResults } from './results/result.store';

const LEASE = 10_000;

/** Operations and faults, applied in random order. */
const STEPS = [
  'claim',
  'commit',
  'commit twice',
  'expire leases',
  'release the lease',
  'mark a row',
  'tick',
  'lose jobs',
  'backdate enqueued_at',
  'cancel',
] as const;
type Step = (typeof STEPS)[number];

describe('batches under random faults of workers and queue', () => {
  let db: TestDatabase;
  beforeAll(async () => {
    db = await testDatabase();
  });
  afterAll(() => db.close());

  async function live(steps: readonly (readonly [Step, number])[]): Promise<void> {
    await db.pool.query('truncate batch, chunk, result, key_usage, api_key cascade');
    const pipeline = pipelineOn(db.pool, { chunkRows: 3 });
    const apiKeyId = await newApiKey(db.pool);
    const held: ClaimedChunk[] = [];
    const ids: string[] = [];
    for (const rows of [7, 12]) {
      const queries = Array.from({ length: rows }, () => ({ name: 'Mary', date: '2016-03-01' }));
      const request = { apiKeyId, type: 'age_gender', format: 'json', releaseId: 'sample.1' } as const;
      ids.push((await pipeline.intake.accept(request, queries)).batch.id);
    }
    const commit = async (chunk: ClaimedChunk): Promise<boolean> => {
      const { copy, counts } = uniformLines(chunk);
      return pipeline.chunks.commit(chunk, { store: (client) => storeResults(client, copy), counts });
    };
    const tick = async (): Promise<void> => {
      expect((await pipeline.reconciler.tick(pipeline.queue)).violations).toBe(0);
    };
    const endLeases = () =>
      db.pool.query(`update chunk set lease_until = now() - interval '1 s' where state = 'leased'`);
    const claim = async (): Promise<void> => {
      const ref = pipeline.queue.take();
      const chunk = ref && (await pipeline.chunks.claim(ref, LEASE));
      if (chunk) held.push(chunk);
    };
    const pick = (at: number): ClaimedChunk | undefined => held[at % held.length];
    const take: Record<Step, (at: number) => Promise<unknown>> = {
      claim,
      commit: async (at) => pick(at) && commit(pick(at)!),
      'commit twice': async (at) => pick(at) && Promise.all([commit(pick(at)!), commit(pick(at)!)]),
      'expire leases': endLeases,
      'release the lease': async (at) => pick(at) && pipeline.chunks.releaseLease(pick(at)!),
      'mark a row': async (at) =>
        pick(at) && (await pipeline.chunks.markCurrentRow(pick(at)!, pick(at)!.firstRow, LEASE)),
      tick,
      'lose jobs': () => Promise.resolve(pipeline.queue.jobs.clear()),
      'backdate enqueued_at': () =>
        db.pool.query(`update chunk set enqueued_at = now() - interval '1 min' where state = 'queued'`),
      cancel: (at) => (at % 5 === 0 ? pipeline.batches.cancel(apiKeyId, ids[at % 2]) : Promise.resolve()),
    };
    for (const [step, at] of steps) await take[step](at);

    // No more faults: leases end, the reconciler ticks, a worker works.
    await endLeases();
    for (let round = 0; round < 3; round++) {
      await take['backdate enqueued_at'](0);
      await tick();
      for (let ref = pipeline.queue.take(); ref; ref = pipeline.queue.take()) {
        const chunk = await pipeline.chunks.claim(ref, LEASE);
        if (chunk) expect(await commit(chunk)).toBe(true);
      }
    }
    for (const id of ids) {
      const batch = (await pipeline.batches.get(apiKeyId, id))!;
      const { rows } = await db.pool.query<{ n: number; numbers: number }>(
        'select count(*)::int as n, count(distinct row_no)::int as numbers from result where batch_id = $1',
        [id],
      );
      expect(isFinal(batch.state)).toBe(true);
      expect(rows[0]).toEqual({ n: batch.counts.ok, numbers: batch.counts.ok });
      if (batch.state === 'completed') expect(batch.counts.ok).toBe(batch.rowsTotal);
    }
  }

  it('end, with every row once and exact counters', async () => {
    const step = fc.tuple(fc.constantFrom(...STEPS, 'claim', 'commit', 'tick'), fc.nat(20));
    await fc.assert(fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 60 }), live), { numRuns: 30 });
  });
});
