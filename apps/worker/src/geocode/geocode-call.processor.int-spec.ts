import { type Pool } from 'pg';
import { BatchAddresses } from '@donorlens/batches';
import { ContributionStore } from '@donorlens/campaign-finance';
import { type Config, readConfig } from '@donorlens/config';
import {
  CallRepository,
  type Geocoder,
  type GeocoderAnswer,
  GeocoderError,
  type GeocoderRow,
} from '@donorlens/geocoding';
import { AddressKeys, type KeySettings, LocationRepository } from '@donorlens/locations';
import { createLogger } from '@donorlens/observability';
import { type Release, type ReleaseHolder } from '@donorlens/reference-data';
import { type TestDatabase, testDatabase } from '../../../../test/support/servers';
import { until } from '../../../../test/support/until';
import { GIFT, makePartitions, storeContributions } from '../../../../test/support/fec-data/contribution-rows';
import { faultyPool } from '../../../../test/support/pipeline/faulty-pool';
import { newApiKey, pipelineOn } from '../../../../test/support/pipeline/pipeline';
import { CallRun } from './call-run';
import { GeocodeCallProcessor, MAX_SLOT_WAIT_MS } from './geocode-call.processor';
import { JobRecorder } from '../job-recorder';
import { AddressOutcomes } from './address-outcomes';
import { WorkCounter } from '@donorlens/operations';
import { sampleTables } from '../../../../test/support/reference-data/sample-tables';

type Job = Parameters<GeocodeCallProcessor['process']>[0];

const keys = new AddressKeys({ secret: 'secret of the tests', benchmark: 'b', vintage: 'v' });
const logger = createLogger('test', 'silent');
const keyOf = (street: string): Buffer => keys.keyOf({ street, city: 'SPRINGFIELD', state: 'IL', zip: '62701' })!;

/** A geocoder with answers by street. A call with a street that has no answer waits until it is aborted. */
class Answers implements Geocoder {
  calls = 0;
  hanging = 0;

  constructor(private readonly of: Readonly<Record<string, GeocoderAnswer | GeocoderError>>) {}

  async locate(rows: readonly GeocoderRow[], _: KeySettings, signal?: AbortSignal): ReturnType<Geocoder['locate']> {
    this.calls++;
    const answers = new Map<number, GeocoderAnswer>();
    for (const { id, street } of rows) {
      const answer = this.of[street] ?? (await this.nothing(signal));
      if (answer instanceof GeocoderError) throw answer;
      answers.set(id, answer);
    }
    return { answers, unanswered: new Map() };
  }

  candidates(): ReturnType<Geocoder['candidates']> {
    const candidate = { matchedAddress: '1 MADE UP ST', tract: '000100', block: '1000' };
    return Promise.resolve([
      { ...candidate, fips: '17167' },
      { ...candidate, fips: '17001' },
    ]);
  }

  refusedSettings(): Promise<null> {
    return Promise.resolve(null);
  }

  private nothing(signal?: AbortSignal): Promise<never> {
    this.hanging++;
    return new Promise((_, reject) => signal?.addEventListener('abort', () => reject(new GeocoderError('aborted'))));
  }
}

describe('a call to the geocoder', () => {
  let db: TestDatabase;
  let release: Release;
  let fips: string;
  let match: GeocoderAnswer;
  const config: Config = readConfig({ GEOCODE_CALLS_AT_ONCE: '1' });

  beforeAll(async () => {
    db = await testDatabase();
    release = await sampleTables();
    fips = [...release.counties].find((county) => county.medianHouseholdIncome !== null)!.fips;
    match = { outcome: 'MATCH', isExact: true, matchedAddress: '1 MADE UP ST', fips, tract: '000100', block: '1000' };
    await makePartitions(db.pool, [GIFT.cycle]);
  });
  afterAll(() => db.close());
  beforeEach(async () => {
    await db.pool.query(
      'truncate geocode_call, geocode_address, location, location_wait, geocoder, contribution cascade',
    );
    await db.pool.query('insert into geocoder default values');
  });

  const calls = (pool = db.pool): CallRepository => new CallRepository(pool, config.geocoder);
  const processorOf = (
    geocoder: Geocoder,
    pool: Pool = db.pool,
    held: Release | null = release,
    log = logger,
  ): GeocodeCallProcessor => {
    const releases = {
      current: () => held,
      refreshNow: () => Promise.resolve(),
    } as Partial<ReleaseHolder> as ReleaseHolder;
    const contributions = new ContributionStore(new LocationRepository(pool, keys));
    const outcomes = new AddressOutcomes(contributions, new BatchAddresses(pool), releases);
    const recorder = new JobRecorder(new WorkCounter(pool, logger), logger);
    const run = new CallRun(calls(pool), geocoder, keys, config);
    return new GeocodeCallProcessor(calls(pool), run, outcomes, recorder, log);
  };
  const jobOf = (callId: string): Job => ({ data: { callId } }) as Job;
  /** Groups these addresses into one call, and returns its id. */
  async function gathered(...streets: string[]): Promise<string> {
    for (const [i, street] of streets.entries())
      await db.pool.query(
        `insert into geocode_address (address_key, ask_order, asked_at, street, city, state, zip, benchmark, vintage)
         values ($1, $2, now() - interval '2 s', $3, 'SPRINGFIELD', 'IL', '62701', 'b', 'v')`,
        [keyOf(street), i, street],
      );
    expect(await calls().formCalls()).toBe(1);
    return (await one<{ id: string }>('select max(id)::text as id from geocode_call'))!.id;
  }
  const one = async <T>(sql: string, values: unknown[] = []): Promise<T | undefined> =>
    (await db.pool.query(sql, values)).rows[0] as T | undefined;
  const callRow = (id: string) =>
    one<{ state: string; failures: number }>('select state, failures from geocode_call where id = $1', [id]);
  const waiting = async (): Promise<number> =>
    (await one<{ n: number }>('select count(*)::int as n from geocode_address'))!.n;
  const gate = () => one<{ circuit: unknown; calls: string }>('select circuit, calls from geocoder');

  it('stores the results and notifies all waiting batches; a second run changes nothing', async () => {
    const batchId = await batchThatWaitsFor('1 Made Up St', 2);
    await storeContributions(db.pool, [{ ...GIFT, income: null }]);
    await db.pool.query('update contribution set address_key = $1', [keyOf('1 Made Up St')]);
    await db.pool.query('truncate donor_touched');
    const id = await gathered('1 Made Up St', '2 Made Up St');
    const geocoder = new Answers({ '1 Made Up St': match, '2 Made Up St': { outcome: 'NO_MATCH' } });
    const processor = processorOf(geocoder);
    expect(await processor.process(jobOf(id))).toEqual({ match: 1, noMatch: 1, tie: 0, unanswered: 0 });
    expect(
      await one('select outcome, fips, block from location where address_key = $1', [keyOf('1 Made Up St')]),
    ).toEqual({ outcome: 0, fips, block: '1000' });
    expect(await one('select state, match_rows, pending_rows from batch where id = $1', [batchId])).toEqual({
      state: 'completed',
      match_rows: 2,
      pending_rows: 0,
    });
    const income = release.counties.find(fips)!.medianHouseholdIncome;
    expect(await one('select hh_income_median as income from contribution')).toEqual({ income });
    expect(await one('select donor_key::int from donor_touched')).toEqual({ donor_key: GIFT.donorKey });
    expect(await waiting()).toBe(0);
    expect(await processor.process(jobOf(id))).toBeNull();
    expect([geocoder.calls, processor.inWork]).toEqual([1, 0]);
  });

  it('requests the candidate addresses of a tie in a separate call', async () => {
    const processor = processorOf(new Answers({ '3 Made Up St': { outcome: 'TIE' } }));
    expect(await processor.process(jobOf(await gathered('3 Made Up St')))).toMatchObject({ tie: 1 });
    expect(await waiting()).toBe(1);
    await calls().formCalls();
    const [tie] = await calls().findDue(1);
    expect(await processor.process(jobOf(tie))).toEqual({ match: 0, noMatch: 0, tie: 1, unanswered: 0 });
    expect(await one('select outcome, fips, tract from location')).toEqual({ outcome: 2, fips: null, tract: null });
    expect(await waiting()).toBe(0);
  });

  it('is retried later if the geocoder fails', async () => {
    const id = await gathered('1 Made Up St');
    const processor = processorOf(new Answers({ '1 Made Up St': new GeocoderError('timeout') }));
    expect(await processor.process(jobOf(id))).toBeNull();
    expect(await callRow(id)).toEqual({ state: 'pending', failures: 1 });
    await db.pool.query(`update geocode_call set not_before = not_before + interval '1 minute'`); // random backoff
    expect(await processor.process(jobOf(id))).toBeNull(); // not yet
    expect(await callRow(id)).toEqual({ state: 'pending', failures: 1 });
  });

  it('is released at once when the worker stops, and the attempt does not count', async () => {
    const id = await gathered('1 Made Up St');
    const geocoder = new Answers({});
    const processor = processorOf(geocoder);
    const running = processor.process(jobOf(id));
    await until('the call is under way', () => geocoder.hanging === 1);
    expect([processor.inWork, (await callRow(id))?.state]).toEqual([1, 'leased']);
    processor.stop();
    expect(await running).toBeNull();
    expect(await callRow(id)).toEqual({ state: 'pending', failures: 0 });
    expect(await gate()).toEqual({ circuit: null, calls: '0' });
    expect(await processorOf(new Answers({ '1 Made Up St': match })).process(jobOf(id))).toMatchObject({ match: 1 });
  });

  it('waits for a slot while other calls are in progress', async () => {
    const first = await gathered('1 Made Up St');
    const second = await gathered('2 Made Up St');
    const held = await until('the first is claimed', async () => {
      const claim = await calls().claim(first);
      return claim && 'call' in claim && claim.call;
    });
    const claim = jest.spyOn(CallRepository.prototype, 'claim');
    const behind = processorOf(new Answers({ '2 Made Up St': match })).process(jobOf(second));
    await until('it has asked twice', () => claim.mock.calls.length >= 2);
    claim.mockRestore();
    await calls().releaseLease(held);
    expect(await behind).toMatchObject({ match: 1 });
  });

  it('returns to pending for a new job after a long wait for a slot, and when the worker stops', async () => {
    const first = await gathered('1 Made Up St');
    const second = await gathered('2 Made Up St');
    await until('the first is claimed', async () => {
      const claim = await calls().claim(first);
      return claim && 'call' in claim;
    });
    for (const leave of ['late', 'stop']) {
      await calls().markEnqueued([second]);
      const claim = jest.spyOn(CallRepository.prototype, 'claim');
      const processor = processorOf(new Answers({}));
      const behind = processor.process(jobOf(second));
      await until('it has asked', () => claim.mock.calls.length > 0);
      const clock = performance.now.bind(performance);
      const late = jest.spyOn(performance, 'now');
      if (leave === 'late') late.mockImplementation(() => clock() + MAX_SLOT_WAIT_MS);
      else processor.stop();
      expect(await behind).toBeNull();
      late.mockRestore();
      claim.mockRestore();
      expect(await callRow(second)).toEqual({ state: 'pending', failures: 0 });
    }
  });

  it('is not made if its settings are refused, or if the worker has no data release', async () => {
    const id = await gathered('1 Made Up St');
    const geocoder = new Answers({ '1 Made Up St': match });
    await calls().setRefused(keys, 'no such vintage');
    expect(await processorOf(geocoder).process(jobOf(id))).toBeNull();
    await calls().setRefused(keys, null);
    const lines: string[] = [];
    const log = createLogger('test', 'warn', { write: (line) => void lines.push(line) });
    expect(await processorOf(geocoder, db.pool, null, log).process(jobOf(id))).toBeNull();
    expect(lines).toEqual([expect.stringContaining('this worker has no data release')]);
    expect(geocoder.calls).toBe(0);
    expect(await callRow(id)).toEqual({ state: 'pending', failures: 0 });
  });

  it('is stored completely after the connection is lost before the commit, without a second request', async () => {
    const id = await gathered('1 Made Up St');
    let deaths = 0;
    const dying = faultyPool(db.pool, (sql, proceed, pid) =>
      sql.includes('delete from geocode_address') && deaths++ === 0
        ? db.pool.query('select pg_terminate_backend($1)', [pid]).then(proceed)
        : proceed(),
    );
    const geocoder = new Answers({ '1 Made Up St': match });
    expect(await processorOf(geocoder, dying).process(jobOf(id))).toMatchObject({ match: 1 });
    expect([deaths, geocoder.calls, await waiting()]).toEqual([2, 1, 0]);
  });

  it('counts an internal error as a failure, so that retries are limited', async () => {
    const id = await gathered('1 Made Up St');
    const broken = faultyPool(db.pool, (sql, proceed) => {
      if (sql.includes('delete from geocode_address')) throw new TypeError('no');
      return proceed();
    });
    const processor = processorOf(new Answers({ '1 Made Up St': match }), broken);
    await expect(processor.process(jobOf(id))).rejects.toThrow(TypeError);
    expect(await callRow(id)).toEqual({ state: 'pending', failures: 1 });
    expect(await one('select 1 from location')).toBeUndefined();
    expect(await waiting()).toBe(1);
  });

  /** A batch whose rows are enriched and wait for this address. */
  async function batchThatWaitsFor(street: string, rows: number): Promise<string> {
    const { intake, chunks } = pipelineOn(db.pool);
    const request = { apiKeyId: await newApiKey(db.pool), type: 'contributions', format: 'json' } as const;
    const items = Array.from({ length: rows }, () => ({ name: 'SMITH, MARY' }));
    const { batch } = await intake.accept({ ...request, releaseId: 'sample.1' }, items);
    const chunk = (await chunks.claim({ batchId: batch.id, seq: 0 }, 10_000))!;
    const store = async (client: Pick<Pool, 'query'>) => {
      await client.query('insert into location_wait values ($1, $2, $3, $3)', [keyOf(street), batch.id, rows]);
      return { addresses: { match: 0, noMatch: 0, tie: 0, skipped: 0, pending: rows }, partial: 0 };
    };
    const counts = { ok: rows, partial: 0, not_found: 0, invalid: 0, failed: 0 };
    expect(await chunks.commit(chunk, { store, counts })).toBe(true);
    return batch.id;
  }
});
