import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { type Address, CensusServer } from '../support/census-server';
import { leaksIn } from '../support/service/leaks';
import { Service } from '../support/service/service';
import { OFFICIAL_DATA, describeWith, has } from '../support/tools';
import { until } from '../support/until';

interface Batch {
  readonly id: string;
  readonly state: string;
  readonly counts: { readonly total: number; readonly done: number; readonly failed: number; readonly partial: number };
  readonly addresses: Readonly<Record<'match' | 'no_match' | 'tie' | 'skipped' | 'pending', number>>;
  readonly waits_for: string | null;
}

type Row = Readonly<Record<string, string>>;

const recordsOf = (csv: string): Row[] => parse(csv, { columns: true });

/** Sends batches and reads results, like a client of the service. */
class Client {
  constructor(private readonly service: Service) {}

  submit(csv: string): Promise<Batch> {
    return this.service.json<Batch>('/enrich/v1/batches', {
      method: 'POST',
      headers: { 'content-type': 'text/csv' },
      body: csv,
    });
  }

  until(id: string, what: string, isSo: (batch: Batch) => boolean): Promise<Batch> {
    const ask = async () => {
      const batch = await this.service.json<Batch>(`/enrich/v1/batches/${id}`).catch(() => null);
      return batch !== null && isSo(batch) && batch;
    };
    return until(what, ask);
  }

  completed(id: string): Promise<Batch> {
    return this.until(id, 'completed', ({ state }) => state === 'completed');
  }

  async results(id: string, query = ''): Promise<Row[]> {
    return recordsOf(await this.service.text(`/enrich/v1/batches/${id}/results?format=csv${query}`));
  }
}

const RECORDED = join(OFFICIAL_DATA, 'census/geocoder');
const RECORDING = join(RECORDED, 'hospitals-locations-addressbatch.csv');
const CALL_ROWS = 500;
const backend = process.env.CI || has('redis-server') ? 'redis' : 'postgres';

let census: CensusServer;
let service: Service;
let client: Client;
beforeAll(async () => {
  census = await CensusServer.start({
    ...(existsSync(RECORDING) && { recording: RECORDING }),
    latencyMs: 40,
    seed: 7,
  });
  service = await Service.start({
    GEOCODER_URL: census.url,
    GEOCODE_CALL_ROWS: String(CALL_ROWS),
    GEOCODE_CALLS_AT_ONCE: '3',
    GEOCODE_CALLS_PER_MINUTE: '30000',
    QUEUE_BACKEND: backend,
    LOG_LEVEL: 'debug',
  });
  client = new Client(service);
});
afterAll(async () => {
  await service?.stop();
  await census?.stop();
});

describeWith('official data')('two thousand real addresses with recorded answers', () => {
  const recordsIn = (file: string): string[][] =>
    parse(readFileSync(join(RECORDED, file), 'latin1'), { relax_column_count: true });
  const sent = () => recordsIn('hospitals-batch-input.csv');
  const recorded = () => new Map(recordsIn('hospitals-locations-addressbatch.csv').map((row) => [row[0], row]));

  it('get the recorded outcome, each under its own id', async () => {
    const quoted = (fields: readonly string[]) => fields.map((field) => `"${field.replaceAll('"', '""')}"`).join(',');
    const lines = sent().map((fields) => quoted(['Mary', 'Smith', '2016-10-01', ...fields]));
    const { id } = await client.submit(['first_name,last_name,date,id,street,city,state,zip', ...lines].join('\n'));
    const batch = await client.completed(id);
    const rows = await client.results(id);
    expect(rows.map((row) => row.id)).toEqual(sent().map(([id]) => id));

    // eight addresses are post office boxes: they are not sent, and the recorded outcome is no match
    const outcomes = recorded();
    const expected = rows.map((row) => outcomes.get(row.id)![2].toUpperCase());
    const found = rows.map((row) => row.GEOCODE_STATUS.replace('SKIPPED', 'NO_MATCH'));
    expect(found).toEqual(expected);
    expect(batch.addresses).toEqual({ match: 1_390, no_match: 524, tie: 78, skipped: 8, pending: 0 });
    expect(batch.counts).toMatchObject({ done: 2_000, failed: 0, partial: 524 + 78 });
    const { rows: exact } = await queried(
      service,
      `select is_exact, count(*)::int as n from location join result using (address_key)
       where batch_id = '${id}' and location.outcome = 0 group by 1 order by 1`,
    );
    expect(exact).toEqual([
      { is_exact: false, n: 368 },
      { is_exact: true, n: 1_022 },
    ]);

    const addressOf = ({ street, city, state, zip }: Row): Address => ({ street, city, state, zip });
    const byPlace = new Map<string, Set<string>>();
    for (const row of rows) {
      const truth = census.truthOf(addressOf(row), 'Census2020_Current');
      const place = [row.FIPS, row.TRACT_CD, row.BLOCK_CD].join(' ');
      if (truth.outcome === 'MATCH') {
        expect(place).toBe([truth.fips, truth.tract, truth.block].join(' '));
        const matched = outcomes.get(row.id)![4];
        byPlace.set(matched, (byPlace.get(matched) ?? new Set()).add(row.ADDRESS_ID));
      } else {
        const counties = truth.outcome === 'TIE' ? new Set(truth.candidates.map(({ fips }) => fips)) : new Set();
        expect(place.trim()).toBe(counties.size === 1 ? [...counties][0] : '');
        expect(row.ADDRESS_ID).toBe('');
      }
    }
    const ids = [...byPlace.values()];
    expect(ids.every((one) => one.size === 1)).toBe(true);
    expect(new Set(ids.map(([id]) => id)).size).toBe(byPlace.size);
    expect([...ids[0]][0]).toMatch(/^[0-9a-f]{32}$/);
  });

  it('are sent once each, and each tie once more for its candidates', async () => {
    const { addresses, ties } = await geocoded(service);
    expect(addresses).toBeGreaterThanOrEqual(1_992);
    expect(census.log.rowsAnsweredOk).toBe(addresses);
    expect(census.log.calls.filter(({ kind }) => kind === 'single')).toHaveLength(ties);
    const streets = sent().map(([, street]) => street);
    expect(await leaksIn(service, streets)).toEqual([]);
  });
});

const queried = async (service: Service, sql: string) => {
  const { default: pg } = await import('pg');
  const client = new pg.Client({ connectionString: service.run().databaseUrl });
  await client.connect();
  try {
    return await client.query(sql);
  } finally {
    await client.end();
  }
};

/** Waits until every address has its outcome, including those of the sample filings that the first start imports. */
const geocoded = async (service: Service): Promise<{ addresses: number; ties: number }> => {
  await until(
    'no address waits',
    async () => {
      const { rows } = await queried(
        service,
        `select 1 from fec_import where kind = 'filing' and state = 'done' and not exists (select from geocode_address)`,
      );
      return rows.length > 0;
    },
    90_000,
  );
  const { rows } = await queried(
    service,
    'select count(*)::int as addresses, (count(*) filter (where outcome = 2))::int as ties from location',
  );
  return rows[0] as { addresses: number; ties: number };
};

describe('ten thousand addresses and a geocoder that fails', () => {
  const ADDRESSES = Number(process.env.GEOCODER_ADDRESSES ?? 10_000);
  const WAITING = 2_500;

  /** The n-th address; each n is a different place, in any spelling. */
  const address = (n: number): Address => ({
    street: `${100 + (n % 9_900)} Zwickelmoor ${['Lane', 'Road', 'Court', 'Drive', 'Way', 'Place'][Math.trunc(n / 9_900)]}`,
    city: 'Springfield',
    state: 'IL',
    zip: '62701',
  });
  const HEADER = 'row_id,first_name,last_name,date,street,city,state,zip';
  const line = (id: string, { street, city, state, zip }: Address): string =>
    `${id},Mary,Smith,2016-10-01,${street},${city},${state},${zip}`;
  const spelt = ({ street, city, state, zip }: Address): Address => ({
    street: ` ${street.toUpperCase().replaceAll(' ', '  ')}. Apt 4`,
    city: city.toUpperCase(),
    state: state.toLowerCase(),
    zip: `${zip}-1234`,
  });

  const expectTruth = (rows: readonly Row[], addressOf: (row: Row) => Address): void => {
    const wrong = rows.filter((row) => {
      const truth = census.truthOf(addressOf(row), 'Census2020_Current');
      const place = truth.outcome === 'MATCH' ? [truth.fips, truth.tract, truth.block] : null;
      return (
        row.GEOCODE_STATUS !== truth.outcome ||
        (place !== null && place.join() !== [row.FIPS, row.TRACT_CD, row.BLOCK_CD].join())
      );
    });
    expect(wrong).toEqual([]);
  };

  it('all get an outcome although one call in three fails, each is answered once, and ages are available earlier', async () => {
    const before = { ...(await geocoded(service)), rows: census.log.distinctRows.size };
    const third = { probability: 0.17, kinds: ['batch'] as const };
    census.faults.set('500', third);
    census.faults.set('reset', third);
    census.faults.set('missing-rows', { probability: 0.05, kinds: ['batch'] });
    const all = Array.from({ length: ADDRESSES }, (_, n) => line(`a${n}`, address(n)));
    const again = Array.from({ length: ADDRESSES / 5 }, (_, n) => line(`b${5 * n}`, spelt(address(5 * n))));
    const { id } = await client.submit([HEADER, ...all, ...again].join('\n'));

    const enriched = await client.until(id, 'all rows enriched', ({ counts }) => counts.done === counts.total);
    expect(enriched.addresses.pending).toBeGreaterThan(0);
    const early = await client.results(id, '&partial=true');
    expect(early).toHaveLength(1.2 * ADDRESSES);
    expect(early.every((row) => row.AGE !== '' && row.PCT_WHITE !== '')).toBe(true);

    const batch = await client.completed(id);
    expect(batch.addresses.pending).toBe(0);
    const rows = await client.results(id);
    expectTruth(rows, (row) => address(Number(row.row_id.slice(1))));
    const ids = new Map(rows.map((row) => [row.row_id, row.ADDRESS_ID]));
    for (let n = 0; n < ADDRESSES; n += 5) expect(ids.get(`b${n}`)).toBe(ids.get(`a${n}`));

    const batches = census.log.calls.filter(({ kind }) => kind === 'batch');
    expect(batches.filter(({ answeredOk }) => !answeredOk).length).toBeGreaterThan(2);
    const { addresses } = await geocoded(service);
    expect(addresses - before.addresses).toBeGreaterThanOrEqual(ADDRESSES);
    expect(census.log.distinctRows.size - before.rows).toBe(addresses - before.addresses);
    expect(census.log.maxInFlight).toBeLessThanOrEqual(3);
    const { rows: sums } = await queried(service, 'select rows_answered::int as answered from geocoder');
    expect(sums).toEqual([{ answered: addresses }]);
  });

  it('wait while the geocoder is down, with one call in 30 seconds and a kill -9 of the worker, and complete afterwards', async () => {
    census.faults.clear();
    const before = census.log.calls.length;
    for (const kind of ['500', 'no-reply'] as const) census.faults.set(kind, { probability: kind === '500' ? 0.5 : 1 });
    const addresses = Array.from({ length: WAITING }, (_, n) => address(ADDRESSES + n));
    const { id } = await client.submit([HEADER, ...addresses.map((one, n) => line(`c${n}`, one))].join('\n'));
    const waiting = await client.until(
      id,
      'all rows enriched, and why their addresses wait',
      ({ counts, waits_for }) => counts.done === counts.total && waits_for !== null,
    );
    expect(waiting.addresses.pending).toBe(WAITING);
    const openedAt = await until('the circuit is open', () => circuitOpenedAt(service));

    service.kill('worker');
    // excludes calls that started before the circuit opened
    const probes = () => census.log.calls.slice(before).filter(({ at }) => at > openedAt + 10_000);
    await until('a call tries again', () => probes().length > 0);
    for (const { at } of probes()) expect(at - openedAt).toBeGreaterThan(29_000);
    const during = await client.until(id, 'still there', () => true);
    expect([during.state, during.addresses.pending, during.counts.failed]).toEqual(['running', WAITING, 0]);

    census.faults.clear();
    const batch = await client.completed(id);
    expect(batch.addresses.pending).toBe(0);
    expectTruth(await client.results(id), (row) => address(ADDRESSES + Number(row.row_id.slice(1))));
    const { rows } = await queried(service, 'select count(*)::int as n from geocode_address');
    expect(rows).toEqual([{ n: 0 }]);
  }, 1_500_000);

  it('leave no coordinates, keys or addresses except in the rows that clients sent', async () => {
    expect(await leaksIn(service)).toEqual([]);
    const logs = readdirSync(join(service.home, 'logs')).filter(
      (name) => statSync(join(service.home, 'logs', name)).size > 0,
    );
    expect(logs.length).toBeGreaterThan(0);
  });
});

/** In milliseconds since the epoch; null while the circuit is closed. */
const circuitOpenedAt = async (service: Service): Promise<number | null> => {
  const { rows } = await queried(service, `select (circuit->>'openedAt')::float as at from geocoder`);
  return (rows as { at: number | null }[])[0].at;
};
