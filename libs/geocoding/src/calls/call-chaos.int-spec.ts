import fc from 'fast-check';
import { GeocoderError } from '../geocoder-error';
import { type TestDatabase, testDatabase } from '../../../../test/support/servers';
import { type ClaimedCall } from './call';
import {
  addAddresses,
  callsOn,
  passTime,
  noRowsWait,
  numberOf,
  reset,
  resultsOf,
} from '../../../../test/support/pipeline/geocode-calls';
import { type StoredLocation } from './call';

/** Events of clients, workers, the queue and the geocoder, in any order. */
const STEPS = [
  'ask',
  'tick',
  'tick',
  'claim',
  'claim',
  'claim',
  'answer',
  'answer some',
  'answer twice',
  'fail',
  'too many',
  'die',
  'give back',
  'lose jobs',
  'wait',
  'wait long',
] as const;
type Step = (typeof STEPS)[number];

const CALLS_AT_ONCE = 3;

describe('calls under random faults of workers and geocoder', () => {
  let db: TestDatabase;
  beforeAll(async () => {
    db = await testDatabase();
  });
  afterAll(() => db.close());

  async function live(steps: readonly (readonly [Step, number])[]): Promise<void> {
    await reset(db.pool);
    const calls = callsOn(db.pool, { callRows: 7, callsAtOnce: CALLS_AT_ONCE });
    const jobs = new Set<string>();
    let held: ClaimedCall[] = [];
    let asked = 0;
    const told: number[] = [];
    const tell = (found: readonly StoredLocation[]) => found.forEach(({ key }) => told.push(numberOf(key)));

    const tick = async (): Promise<void> => {
      await calls.freeExpired();
      await calls.formCalls();
      const ids = [...(await calls.findDue(50)), ...(await calls.findLost(5, 50))];
      ids.forEach((id) => jobs.add(id));
      await calls.markEnqueued(ids);
    };
    const claim = async (): Promise<void> => {
      const [id] = jobs;
      if (id === undefined) return;
      const claimed = await calls.claim(id);
      if (claimed && 'call' in claimed) held.push(claimed.call);
      if (!(claimed && 'why' in claimed && claimed.why === 'slots')) jobs.delete(id);
      const { rows } = await db.pool.query(
        `select count(*)::int as n from geocode_call where state = 'leased' and lease_until > now()`,
      );
      expect(rows[0].n).toBeLessThanOrEqual(CALLS_AT_ONCE);
    };
    const pick = (at: number): ClaimedCall[] => (held.length > 0 ? [held[at % held.length]] : []);
    /** Where it is true, those who wait have been told in that transaction, and else not. */
    const commit = async (call: ClaimedCall, results = resultsOf(call)): Promise<void> => {
      let found: readonly StoredLocation[] = [];
      const isStored = await calls.commit(call, results, (client, geocoded) => noRowsWait(client, (found = geocoded)));
      if (isStored) tell(found);
    };
    const some = (call: ClaimedCall, at: number) => {
      const numbers = call.addresses.map(({ key }) => numberOf(key));
      const third = (n: number) => numbers.filter((_, index) => (index + at) % 4 === n);
      return resultsOf(call, {
        ties: call.kind === 'batch' ? third(0) : [],
        unanswered: third(1),
        notRequested: third(2),
      });
    };
    const take: Record<Step, (at: number) => Promise<unknown>> = {
      ask: (at) => addAddresses(db.pool, { from: asked + 1, count: at }).then(() => (asked += at)),
      tick,
      claim,
      answer: (at) => Promise.all(pick(at).map((call) => commit(call))),
      'answer some': (at) => Promise.all(pick(at).map((call) => commit(call, some(call, at)))),
      'answer twice': (at) => Promise.all(pick(at).flatMap((call) => [commit(call), commit(call)])),
      fail: (at) => Promise.all(pick(at).map((call) => calls.fail(call, new GeocoderError('timeout')))),
      'too many': (at) =>
        Promise.all(
          pick(at).map((call) => calls.fail(call, new GeocoderError('rate_limited', { retryAfterMs: at * 1_000 }))),
        ),
      die: () => Promise.resolve((held = [])),
      'give back': (at) => Promise.all(pick(at).map((call) => calls.releaseLease(call))),
      'lose jobs': () => Promise.resolve(jobs.clear()),
      wait: (at) => passTime(db.pool, at / 5),
      'wait long': () => passTime(db.pool, 31),
    };
    for (const [step, at] of steps) await take[step](at);

    // The world calms down: the geocoder answers whatever it is asked.
    held = [];
    for (let round = 0; round < 60 && !(await calls.isIdle()); round++) {
      await passTime(db.pool, 601);
      await calls.retryErrors();
      await tick();
      for (let tries = jobs.size; tries > 0; tries--) {
        await claim();
        for (const call of held.splice(0)) await commit(call);
      }
    }
    expect(await calls.isIdle()).toBe(true);
    expect([...told].sort((a, b) => a - b)).toEqual(Array.from({ length: asked }, (_, n) => n + 1));
    const { rows } = await db.pool.query(
      `select (select count(*)::int from location) as locations, (select count(*)::int from geocode_address) as addresses,
              (select count(*)::int from geocode_call) as calls, rows_answered::int as answered from geocoder`,
    );
    expect(rows[0]).toEqual({ locations: asked, addresses: 0, calls: 0, answered: asked });
  }

  it('geocode and apply every address once, within the limit of concurrent calls', async () => {
    const steps = fc.array(fc.tuple(fc.constantFrom(...STEPS), fc.integer({ min: 1, max: 20 })), {
      minLength: 20,
      maxLength: 60,
    });
    await fc.assert(
      fc.asyncProperty(steps, (happening) => live([['ask', 15], ['tick', 1], ...happening])),
      { numRuns: 30 },
    );
  });
});
