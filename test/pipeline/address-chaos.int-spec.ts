import fc from 'fast-check';
import { type Batch, SingleLookupAddresses, isFinal } from '@donorlens/batches';
import { type TestDatabase, testDatabase } from '../support/servers';
import { AddressLife, type RowAddress, isFound, outcomeOf } from '../support/pipeline/address-life';
import { CallLife } from '../support/pipeline/call-life';

/** Few chunks and addresses, so that concurrent operations work on the same ones. */
const ROWS = 30;
const CHUNKS = 3;
const BATCHES = 3;
const ADDRESSES = 12;

/** Operations that run at the same time. */
interface Moment {
  readonly commits: readonly number[];
  /** Number of open calls that are answered, and the addresses that the answers leave out. */
  readonly answers: number;
  readonly leftOut: readonly number[];
  readonly alone: readonly number[];
  readonly isExpiring: boolean;
  readonly gathers: boolean;
  readonly cancels: readonly number[];
  readonly timesOut: boolean;
  readonly ticks: boolean;
}

const moment: fc.Arbitrary<Moment> = fc.record({
  commits: fc.uniqueArray(fc.nat(BATCHES * CHUNKS - 1), { maxLength: 4 }),
  answers: fc.nat(3),
  leftOut: fc.uniqueArray(fc.nat(ADDRESSES - 1), { maxLength: 3 }),
  alone: fc.uniqueArray(fc.nat(ADDRESSES - 1), { maxLength: 3 }),
  isExpiring: fc.boolean(),
  gathers: fc.boolean(),
  cancels: fc.array(fc.nat(BATCHES - 1), { maxLength: 1 }).map((ids) => ids.filter((id) => id === 0)),
  timesOut: fc.boolean(),
  ticks: fc.boolean(),
});
const address: fc.Arbitrary<RowAddress> = fc.oneof(
  { weight: 8, arbitrary: fc.nat(ADDRESSES - 1) },
  { weight: 1, arbitrary: fc.constantFrom('skipped' as const, 'invalid' as const) },
);

/** Uses real stores for address requests and their outcomes; only the geocoder's responses are synthetic. */
describe('concurrent operations on chunks, calls and addresses', () => {
  let db: TestDatabase;
  beforeAll(async () => {
    db = await testDatabase();
    await db.pool.query(`
      create table completion (batch_id uuid);
      create function note_completion() returns trigger language plpgsql as
        $$ begin insert into completion values (new.id); return null; end $$;
      create trigger noted after update on batch for each row
        when (old.state is distinct from new.state and new.state = 'completed') execute function note_completion()`);
  });
  afterAll(() => db.close());

  async function live(addresses: readonly RowAddress[], moments: readonly Moment[]): Promise<void> {
    const life = await AddressLife.on(db.pool);
    await db.pool.query('truncate completion');
    const batches: Batch[] = [];
    while (batches.length < BATCHES) batches.push(await life.accepted(ROWS));
    const addressOf = (batch: number) => (rowNo: number) => addresses[(batch * 7 + rowNo) % addresses.length];
    const { chunks, reconciler, queue } = life.pipeline;
    const commit = async (n: number): Promise<void> => {
      const batch = n % BATCHES;
      const chunk = await chunks.claim({ batchId: batches[batch].id, seq: Math.trunc(n / BATCHES) }, 10_000);
      if (chunk) expect(await life.commit(chunk, addressOf(batch))).toBe(true);
    };
    const tick = async (): Promise<void> => {
      expect((await reconciler.tick(queue)).violations).toBe(0);
    };
    const calls = new CallLife(life, ADDRESSES);
    const singles = new SingleLookupAddresses(db.pool);
    for (const now of moments) {
      await calls.sendOut();
      const ended = await Promise.allSettled([
        ...now.commits.map(commit),
        ...calls.out.splice(0, now.answers).map((call) => calls.answer(call, now.leftOut)),
        ...(now.alone.length > 0 ? [life.askAlone(now.alone)] : []),
        ...(now.isExpiring ? [singles.expire(0)] : []),
        ...(now.gathers ? [calls.gather()] : []),
        ...now.cancels.map((n) => life.pipeline.batches.cancel(life.apiKeyId, batches[n].id)),
        ...(now.timesOut ? [life.completeTimedOut(0)] : []),
        ...(now.ticks ? [tick()] : []),
      ]);
      for (const one of ended) if (one.status === 'rejected') throw one.reason;
      expect(await countOrphanedWaits()).toBe(0);
    }

    // Without further interference, the remaining rows are enriched and geocoded.
    for (let n = 0; n < BATCHES * CHUNKS; n++) await commit(n);
    await tick();
    await calls.answerAll();
    await tick();
    expect(await life.asked()).toEqual({ asked: 0, waits: 0, rows: 0 });
    for (const [i, { id }] of batches.entries()) {
      const batch = await life.current(id);
      expect(isFinal(batch.state)).toBe(true);
      const { rowCount } = await db.pool.query('select 1 from completion where batch_id = $1', [id]);
      expect(rowCount).toBe(batch.state === 'completed' ? 1 : 0);
      if (batch.state === 'completed') expect([batch.addresses, batch.counts]).toEqual(countsOf(addressOf(i)));
    }
  }

  /** Counts waits for addresses that are not requested from the geocoder; no outcome would ever end these waits. */
  async function countOrphanedWaits(): Promise<number> {
    const { rows } = await db.pool.query<{ n: number }>(
      `select count(*)::int as n from location_wait w
       where not exists (select 1 from geocode_address a where a.address_key = w.address_key)`,
    );
    return rows[0].n;
  }

  /** The expected counters, row by row, when all addresses are geocoded. */
  function countsOf(addressOf: (rowNo: number) => RowAddress): [Batch['addresses'], Batch['counts']] {
    const addresses = { match: 0, noMatch: 0, tie: 0, skipped: 0, pending: 0 };
    const counts = { ok: 0, partial: 0, not_found: 0, invalid: 0, failed: 0 };
    for (let row = 1; row <= ROWS; row++) {
      const at = addressOf(row);
      const outcome = typeof at === 'number' ? outcomeOf(at) : null;
      if (outcome) addresses[({ MATCH: 'match', NO_MATCH: 'noMatch', TIE: 'tie' } as const)[outcome]]++;
      if (at === 'skipped') addresses.skipped++;
      counts[
        at === 'invalid' ? 'invalid' : !isFound(row) ? 'not_found' : (outcome ?? 'MATCH') === 'MATCH' ? 'ok' : 'partial'
      ]++;
    }
    return [addresses, counts];
  }

  it('end every batch once, leave no row waiting for a known address, and keep counters that match the rows', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(address, { minLength: 11, maxLength: 11 }),
        fc.array(moment, { minLength: 3, maxLength: 10 }),
        live,
      ),
      { numRuns: 30, endOnFailure: true }, // the interleaving differs between runs
    );
  });
});
