import 'reflect-metadata';
import { once } from 'node:events';
import { BatchAddresses } from '@donorlens/batches';
import { CallRepository } from '@donorlens/geocoding';
import { createLogger } from '@donorlens/observability';
import { repeat } from '../../apps/aggregator/src/scheduling/leader-task-runner';
import { GeocodingTask } from '../../apps/aggregator/src/tasks/geocoding.task';
import { until } from '../support/until';
import { CensusServer } from '../support/census-server';
import { BACKENDS, Rig } from './rig';
import { Workers } from './workers';

const logger = createLogger('test', 'silent');
const fence = { lease: 'aggregator', epoch: '1' };

const HEADER = 'first_name,last_name,date,street,city,state,zip';
const streetsOf = (from: number, count: number): string[] =>
  Array.from({ length: count }, (_, i) => `${from + i} Made Up St`);
const lineOf = (street: string): string => `MARY,SMITH,2020-01-01,${street},Springfield,IL,62701`;
const addressOf = (street: string) => ({ street, city: 'Springfield', state: 'IL', zip: '62701' });

/** Reconciler and gathering run in this process, the workers are separate processes, and the geocoder is synthetic. */
describe.each(BACKENDS)('batches with addresses and the queue on %s', (backend) => {
  let census: CensusServer;
  let rig: Rig;
  let workers: Workers;
  let term: AbortController;
  let geocoding: Promise<void>;

  beforeAll(async () => {
    census = await CensusServer.start();
    rig = await Rig.on(backend, {
      GEOCODER_URL: census.url,
      GEOCODE_CALL_ROWS: '40',
      GEOCODE_CALLS_PER_MINUTE: '6000',
    });
  });
  afterAll(async () => {
    await rig.close();
    await census.stop();
  });
  beforeEach(() => {
    workers = new Workers(rig.environment, () => rig.expireLeasesOfDeadWorkers());
    rig.startTicking();
    startGeocoding();
  });
  afterEach(async () => {
    census.faults.clear();
    await stopGeocoding();
    await rig.stopTicking();
    await workers.stop();
  });

  function startGeocoding(): void {
    term = new AbortController();
    geocoding = repeat(geocodingTask(rig), { fence, signal: term.signal, isCurrent: () => true }, logger);
  }
  async function stopGeocoding(): Promise<void> {
    term.abort();
    await geocoding;
  }
  const addressesOf = async (id: string) => (await rig.pipeline.batches.get(rig.apiKeyId, id))?.addresses;
  const count = async (table: string): Promise<number> =>
    (await rig.db.pool.query<{ n: number }>(`select count(*)::int as n from ${table}`)).rows[0].n;
  const callUnderWay = () => until('a call hangs', () => census.log.inFlight > 0);

  it('complete with the location of every address, and request each address once', async () => {
    for (const street of streetsOf(1, 70)) census.plant(addressOf(street), { outcome: 'MATCH' });
    for (const street of streetsOf(71, 20)) census.plant(addressOf(street), { outcome: 'NO_MATCH' });
    const candidates = [{ fips: '17167' }, { fips: '17001' }];
    for (const street of streetsOf(91, 10)) census.plant(addressOf(street), { outcome: 'TIE', candidates });
    await stopGeocoding(); // so that calls are formed from all addresses and not from a part
    const enriching = new Workers({ ...rig.environment, WORKER_QUEUES: 'enrich' });
    enriching.start();
    const lines = [...streetsOf(1, 100), 'PO Box 7'].map(lineOf);
    const id = await rig.accept(HEADER, [...lines, ...lines]);
    await until('all rows wait for calls', async () => (await addressesOf(id))?.pending === 200);
    startGeocoding();
    await until('calls without a worker', async () => (await rig.calls.waiting()) === 3);
    expect(census.log.calls).toEqual([]);
    await enriching.stop();
    workers.start();
    workers.start();
    await rig.completed(id);
    expect(await addressesOf(id)).toEqual({ match: 140, noMatch: 40, tie: 20, skipped: 2, pending: 0 });
    expect(await count('location where fips is not null and outcome = 0')).toBe(70);
    expect([await count('geocode_address'), await count('geocode_call'), await count('location_wait')]).toEqual([
      0, 0, 0,
    ]);
    expect([census.log.distinctRows.size, census.log.rowsAnsweredTwice]).toEqual([100, 0]);
    expect(census.log.maxInFlight).toBeLessThanOrEqual(2 + 2); // two calls, and the settings that two workers read
    expect(workers.deaths).toBe(0);
    await until('an empty queue', async () => (await rig.calls.countRunnableJobs()) === 0);
  });

  if (backend !== 'postgres') return; // calls are rows in Postgres: the queue hardly affects the other tests

  it('complete after a worker is killed during a call', async () => {
    census.faults.set('hang', { next: 1, kinds: ['batch'] });
    const victim = workers.start();
    const id = await rig.accept(HEADER, streetsOf(201, 60).map(lineOf));
    await until('a call under way', async () => (await count(`geocode_call where state = 'leased'`)) > 0);
    await callUnderWay();
    victim.kill('SIGKILL');
    await rig.completed(id);
    expect(workers.deaths).toBe(1);
    expect(await addressesOf(id)).toMatchObject({ skipped: 0, pending: 0 });
    expect(await count('geocode_address')).toBe(0);
  });

  it('have their call released at once when a worker is stopped', async () => {
    const stopped = new Workers(rig.environment); // without a callback that expires leases
    census.faults.set('hang', { kinds: ['batch'] });
    const leaving = stopped.start();
    const id = await rig.accept(HEADER, streetsOf(301, 20).map(lineOf));
    await callUnderWay();
    const ends = once(leaving, 'exit');
    const stop = stopped.stop();
    await ends;
    const { rows } = await rig.db.pool.query('select state, failures, probes from geocode_call');
    expect(rows).toEqual([{ state: expect.stringMatching(/^(pending|queued)$/), failures: 0, probes: 0 }]);
    await stop;
    census.faults.clear();
    workers.start();
    await rig.completed(id);
    expect(await addressesOf(id)).toMatchObject({ pending: 0 });
  });

  it('wait if the geocoder does not know the vintage of their call, and are enriched meanwhile', async () => {
    const refused = new Workers({ ...rig.environment, GEOCODER_VINTAGE: 'Census1790_Current', LOG_LEVEL: 'fatal' });
    refused.start();
    const reason = async () =>
      (await rig.db.pool.query<{ refused_reason: string | null }>('select refused_reason from geocoder')).rows[0]
        .refused_reason;
    await until('it is refused', reason);
    const id = await rig.accept(HEADER, [lineOf('401 Made Up St')]);
    await until('it is enriched', async () => (await addressesOf(id))?.pending === 1);
    await refused.stop();
    workers.start();
    const other = await rig.accept(HEADER, [lineOf('402 Made Up St')]);
    await rig.completed(other);
    expect(await addressesOf(id)).toMatchObject({ pending: 1 }); // its key includes the unknown vintage
    expect(await reason()).toContain('Census1790_Current');
    expect(await count('geocode_call where failures + probes = 0')).toBe(1); // and this call is not sent
  });
});

function geocodingTask({ db, calls, config }: Rig): GeocodingTask {
  const repository = new CallRepository(db.pool, config.geocoder);
  return new GeocodingTask(repository, new BatchAddresses(db.pool), calls, config, logger);
}
