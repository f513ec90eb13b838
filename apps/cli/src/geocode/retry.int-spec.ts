import { Readable } from 'node:stream';
import { BatchAddresses, ResultStore } from '@donorlens/batches';
import { enrichChunk } from '@donorlens/enrichment';
import { CallRepository, type StoredLocation } from '@donorlens/geocoding';
import { AddressKeys, LocationRepository } from '@donorlens/locations';
import { type GeocodeOutcome } from '@donorlens/primitives';
import { type Release } from '@donorlens/reference-data';
import { sampleTables } from '../../../../test/support/reference-data/sample-tables';
import { type TestDatabase, testDatabase } from '../../../../test/support/servers';
import { ADDRESS_KEYS } from '../../../../test/support/reference-data/known-addresses';
import { newApiKey, pipelineOn, textOf } from '../../../../test/support/pipeline/pipeline';
import { retryAddresses, countRetries } from './retry';

const CALLS = { callRows: 100, callsAtOnce: 2, callsPerMinute: 60_000, retryDays: 30 };
const TOWN = { city: 'Springfield', state: 'IL', zip: '62701' };
const keyOf = (street: string): Buffer => ADDRESS_KEYS.keyOf({ street, ...TOWN })!;

describe('retrying addresses', () => {
  let db: TestDatabase;
  let release: Release;
  let apiKeyId: string;
  beforeAll(async () => {
    db = await testDatabase();
    release = await sampleTables();
  });
  afterAll(() => db.close());
  beforeEach(async () => {
    await db.pool.query(`truncate batch, chunk, result, key_usage, api_key, location, location_wait cascade;
                         truncate geocode_address, geocode_call cascade;
                         truncate geocoder; insert into geocoder (tokens) values (1000)`);
    apiKeyId = await newApiKey(db.pool);
  });

  /** Enriches all chunks of a file as a worker does. */
  async function enriched(format: 'csv' | 'ndjson', text: string): Promise<string> {
    const { intake, queue, chunks } = pipelineOn(db.pool);
    const locations = new LocationRepository(db.pool, ADDRESS_KEYS);
    const request = { apiKeyId, type: 'contributions', format, releaseId: 'sample.1' } as const;
    const { batch } = await intake.accept(request, Readable.from([Buffer.from(text)]));
    await queue.enqueue(Array.from({ length: batch.chunksTotal }, (_, seq) => ({ batchId: batch.id, seq })));
    for (let ref = queue.take(); ref; ref = queue.take()) {
      const chunk = (await chunks.claim(ref, 10_000))!;
      const done = enrichChunk(chunk.spec, chunk.input, release, { addressKeys: ADDRESS_KEYS });
      const known = await locations.outcomes(done.addresses.map(({ key }) => key));
      const store = new ResultStore(locations);
      await chunks.commit(chunk, { store: (client) => store.store(client, chunk, done, known), counts: done.counts });
    }
    return batch.id;
  }
  const csv = (streets: readonly string[], header = 'last_name,year,street,city,state,zip'): string =>
    [header, ...streets.map((street) => `Smith,2016,${street},Springfield,IL,62701`)].join('\n');

  /** Completes all calls as a worker does. Each address gets the outcome of its street, by default a match. */
  async function answered(outcomeOf: Readonly<Record<string, GeocodeOutcome>> = {}): Promise<string[]> {
    const calls = new CallRepository(db.pool, CALLS);
    const batches = new BatchAddresses(db.pool);
    const asked: string[] = [];
    await db.pool.query(`update geocode_address set asked_at = asked_at - interval '2 seconds'`);
    await calls.formCalls();
    for (const id of await calls.findDue(100)) {
      const claim = await calls.claim(id);
      if (claim === null || !('call' in claim)) throw new Error('it may start');
      const geocoded = claim.call.addresses.map(({ key, street }): StoredLocation => {
        asked.push(street);
        const outcome = outcomeOf[street] ?? 'MATCH';
        return outcome === 'MATCH'
          ? { key, outcome, isExact: true, fips: '17167', tract: '000100', block: '1000', addressId: 'ab'.repeat(16) }
          : { key, outcome, isExact: null, fips: null, tract: null, block: null, addressId: null };
      });
      await calls.commit(claim.call, { geocoded, ties: [], unanswered: new Map() }, (client, stored) =>
        batches.applyOutcomes(client, stored),
      );
    }
    return asked.sort();
  }
  const statuses = async (id: string): Promise<string[]> => {
    const { batches, results } = pipelineOn(db.pool);
    const batch = (await batches.get(apiKeyId, id))!;
    const text = await textOf(await results.stream(batch, { format: 'ndjson' }));
    const rows = text.trim().split('\n');
    return rows.map((row) => String((JSON.parse(row) as { geocode_status: unknown }).geocode_status));
  };
  const again = (outcome: GeocodeOutcome = 'NO_MATCH', keys: AddressKeys = ADDRESS_KEYS) =>
    retryAddresses(db.pool, outcome, keys, new AbortController().signal);

  it('reads addresses from stored batches, and shows the old outcome until the new one is stored', async () => {
    const id = await enriched('csv', csv(['1 Elm St', '2 Elm St', '"3 ""Elm"" St, rear"', '1 ELM ST', 'PO Box 5']));
    await answered({ '1 Elm St': 'NO_MATCH', '3 "Elm" St, rear': 'NO_MATCH' });
    expect(await statuses(id)).toEqual(['NO_MATCH', 'MATCH', 'NO_MATCH', 'NO_MATCH', 'SKIPPED']);
    expect(await countRetries(db.pool, 'NO_MATCH')).toMatchObject({ asked: 2, asking: 0, later: 0 });
    expect(await answered()).toEqual([]);

    expect(await again()).toEqual({ outcome: 'NO_MATCH', asked: 2, asking: 0, later: 0, other: 0 });
    expect(await statuses(id)).toEqual(['NO_MATCH', 'MATCH', 'NO_MATCH', 'NO_MATCH', 'SKIPPED']);
    expect(await answered()).toEqual(['1 Elm St', '3 "Elm" St, rear']);
    expect(await statuses(id)).toEqual(['MATCH', 'MATCH', 'MATCH', 'MATCH', 'SKIPPED']);
    const { rows } = await db.pool.query('select expires_at from location where expires_at is not null');
    expect(rows).toEqual([]);
  });

  it('reads addresses with the column mapping of a CSV batch, and from the items of a JSON batch', async () => {
    const item = {
      last_name: 'Smith',
      year: 2016,
      contributor_street_1: 'PO Box 9',
      contributor_street_2: '7 Oak "Ave"',
      ...TOWN,
    };
    await enriched('ndjson', JSON.stringify(item));
    await enriched('csv', csv(['8 Oak Ave'], 'contributor_last_name,year,contributor_street_1,city,state,zip'));
    await answered({ '7 Oak "Ave"': 'TIE', '8 Oak Ave': 'TIE' });
    expect(await again('NO_MATCH')).toMatchObject({ asked: 0, later: 0 });
    expect(await again('TIE')).toMatchObject({ asked: 2, later: 0, other: 0 });
    expect(await answered()).toEqual(['7 Oak "Ave"', '8 Oak Ave']);
  });

  it('requests an address of many chunks and batches once, and not again in a second run', async () => {
    const streets = Array.from({ length: 25 }, (_, i) => `${1 + (i % 3)} Elm St`);
    const first = await enriched('csv', csv(streets));
    await enriched('csv', csv(streets));
    await answered({ '1 Elm St': 'NO_MATCH', '2 Elm St': 'NO_MATCH' });
    expect(await again()).toMatchObject({ asked: 2, asking: 0, later: 0 });
    expect(await again()).toMatchObject({ asked: 0, asking: 2, later: 0 });
    const { rows } = await db.pool.query('select distinct asked_by from geocode_address');
    expect(rows).toEqual([{ asked_by: first }]);
  });

  it('does not request addresses of deleted batches until they are submitted again', async () => {
    const id = await enriched('csv', csv(['1 Elm St']));
    await answered({ '1 Elm St': 'NO_MATCH' });
    await pipelineOn(db.pool).batches.delete(apiKeyId, id);
    expect(await countRetries(db.pool, 'NO_MATCH')).toMatchObject({ asked: 0, later: 1 });
    expect(await again()).toMatchObject({ asked: 0, later: 1 });
    expect(await answered()).toEqual([]);
    const later = await enriched('csv', csv(['1 Elm St']));
    expect(await answered()).toEqual(['1 Elm St']);
    expect(await statuses(later)).toEqual(['MATCH']);
  });

  it('does not request addresses that were hashed with another vintage, and counts them', async () => {
    await enriched('csv', csv(['1 Elm St']));
    await answered({ '1 Elm St': 'NO_MATCH' });
    const others = new AddressKeys({ secret: 'a secret of the tests alone', benchmark: 'b', vintage: 'v' });
    expect(await again('NO_MATCH', others)).toMatchObject({ asked: 0, later: 1, other: 1 });
    expect(await answered()).toEqual([]);
  });

  it('changes nothing in a dry run', async () => {
    await enriched('csv', csv(['1 Elm St']));
    await answered({ '1 Elm St': 'NO_MATCH' });
    const all = `select * from location`;
    const before = (await db.pool.query(all)).rows;
    await countRetries(db.pool, 'NO_MATCH');
    expect((await db.pool.query(all)).rows).toEqual(before);
    expect(before).toMatchObject([{ address_key: keyOf('1 Elm St') }]);
  });
});
