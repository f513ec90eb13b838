import { createHash } from 'node:crypto';
import { type Pool } from 'pg';
import {
  type Batch,
  BatchAddresses,
  type ClaimedChunk,
  type EnrichedRows,
  ResultStore,
  SINGLE_LOOKUPS_BATCH_ID,
} from '@donorlens/batches';
import { inTransaction } from '@donorlens/database';
import { type RequestedAddress, LocationRepository } from '@donorlens/locations';
import {
  GEOCODE_OUTCOMES,
  type GeocodeOutcome,
  OUTCOMES,
  type OutcomeCounts,
  emptyCounts,
} from '@donorlens/primitives';
import { newApiKey, pipelineOn } from './pipeline';

const LEASE = 10_000;
const SETTINGS = { benchmark: 'b', vintage: 'v' };
const COUNTIES = ['51600', '06037', '15005'];

/** Synthetic addresses are numbered. A row without one is skipped, as is an invalid row. */
export type RowAddress = number | 'skipped' | 'invalid';
/** Returns the address of a row. */
export type AddressOf = (rowNo: number) => RowAddress;

export const keyOf = (address: number): Buffer => createHash('md5').update(`address ${address}`).digest();
/** The outcome of an address, the same in every run. */
export const outcomeOf = (address: number): GeocodeOutcome =>
  address % 5 === 3 ? 'NO_MATCH' : address % 5 === 4 ? 'TIE' : 'MATCH';
/** False for every fourth row: its name is unknown. */
export const isFound = (rowNo: number): boolean => rowNo % 4 !== 0;

/** The enriched rows of a chunk whose rows have these addresses. */
export function addressedRows(
  { batchId, firstRow, rows }: ClaimedChunk,
  addressOf: AddressOf,
): EnrichedRows & { readonly counts: OutcomeCounts } {
  const counts = emptyCounts();
  const addresses = new Map<number, RequestedAddress>();
  let skippedRows = 0;
  const lines = Array.from({ length: rows }, (_, i) => firstRow + i).map((rowNo) => {
    const address = addressOf(rowNo);
    const outcome = address === 'invalid' ? 'invalid' : isFound(rowNo) ? 'ok' : 'not_found';
    counts[outcome]++;
    if (address === 'skipped') skippedRows++;
    if (typeof address === 'number') count(addresses, address, rowNo, outcome === 'ok');
    const key = typeof address === 'number' ? `\\\\x${keyOf(address).toString('hex')}` : '\\N';
    const code = address === 'invalid' ? 'bad_date' : '\\N';
    return `${batchId}\t${rowNo}\t${OUTCOMES.indexOf(outcome)}\t${code}\t{"id":"${rowNo}"}${'\t\\N'.repeat(11)}\t${key}${'\t\\N'.repeat(2)}\n`;
  });
  return { copy: Buffer.from(lines.join('')), counts, addresses: [...addresses.values()], skippedRows };
}

const askedAddress = (address: number, order: number): RequestedAddress => ({
  key: keyOf(address),
  street: `${address} MAIN ST`,
  city: 'SPRINGFIELD',
  state: 'VA',
  zip: '22150',
  order,
  rows: 0,
  okRows: 0,
});

function count(addresses: Map<number, RequestedAddress>, address: number, rowNo: number, isOk: boolean): void {
  const asked = addresses.get(address) ?? askedAddress(address, rowNo);
  asked.rows++;
  if (isOk) asked.okRows++;
  addresses.set(address, asked);
}

/** Batches of contributions in chunks of ten rows, and the answers of a geocoder to their addresses. */
export class AddressLife {
  private constructor(
    readonly pool: Pool,
    readonly apiKeyId: string,
    readonly pipeline: ReturnType<typeof pipelineOn>,
    private readonly addresses: BatchAddresses,
    private readonly locations: LocationRepository,
  ) {}

  /** Starts on an emptied database, with a geocoder that has answered before. */
  static async on(pool: Pool): Promise<AddressLife> {
    await pool.query('truncate batch, chunk, result, key_usage, api_key, location, location_wait cascade');
    await pool.query('truncate geocode_address, geocode_call, contribution cascade');
    await pool.query('update geocoder set last_answer_at = now()');
    const locations = new LocationRepository(pool, SETTINGS);
    return new AddressLife(pool, await newApiKey(pool), pipelineOn(pool), new BatchAddresses(pool), locations);
  }

  async accepted(rows: number): Promise<Batch> {
    const queries = Array.from({ length: rows }, (_, i) => ({ id: `${i + 1}` }));
    const request = { apiKeyId: this.apiKeyId, type: 'contributions', format: 'json', releaseId: 'sample.1' } as const;
    return (await this.pipeline.intake.accept(request, queries)).batch;
  }

  async claim(batchId: string, seq: number): Promise<ClaimedChunk> {
    const chunk = await this.pipeline.chunks.claim({ batchId, seq }, LEASE);
    if (!chunk) throw new Error('the chunk should be free');
    return chunk;
  }

  /** Stores a chunk with the known outcomes of its addresses, like a worker. */
  async commit(chunk: ClaimedChunk, addressOf: AddressOf, asked?: () => Promise<unknown>): Promise<boolean> {
    const enriched = addressedRows(chunk, addressOf);
    const known = await this.locations.outcomes(enriched.addresses.map(({ key }) => key));
    const store = new ResultStore(this.locations);
    return this.pipeline.chunks.commit(chunk, {
      store: async (client) => {
        const addresses = await store.store(client, chunk, enriched, known);
        await asked?.();
        return addresses;
      },
      counts: enriched.counts,
    });
  }

  /** Accepts a batch and commits all its chunks. */
  async enriched(rows: number, addressOf: AddressOf): Promise<Batch> {
    const batch = await this.accepted(rows);
    for (let seq = 0; seq < batch.chunksTotal; seq++) await this.commit(await this.claim(batch.id, seq), addressOf);
    return this.current(batch.id);
  }

  /** Requests addresses like a synchronous lookup, which does not wait for them. */
  async askAlone(addresses: readonly number[]): Promise<void> {
    const asked = addresses.map((address, i) => askedAddress(address, i + 1));
    await inTransaction(this.pool, (client) => this.locations.ask(client, asked, SINGLE_LOOKUPS_BATCH_ID));
  }

  /** Stores outcomes like an answered call: the given addresses get their outcome if they are requested. */
  async locate(addresses: readonly number[], beforeCommit?: () => Promise<unknown>): Promise<void> {
    const wanted = new Map(addresses.map((address) => [keyOf(address).toString('latin1'), address]));
    await inTransaction(this.pool, async (client) => {
      const { rows } = await client.query<{ address_key: Buffer }>(
        'select address_key from geocode_address where address_key = any($1::bytea[]) order by address_key for update',
        [addresses.map(keyOf)],
      );
      const geocoded = rows.map((row) => wanted.get(row.address_key.toString('latin1'))!);
      await client.query(
        `insert into location (address_key, outcome, fips, tract, block, address_id)
         select * from unnest($1::bytea[], $2::smallint[], $3::text[], $4::text[], $5::text[], $6::bytea[])
         on conflict (address_key) do update set outcome = excluded.outcome, expires_at = null`,
        [
          geocoded.map(keyOf),
          geocoded.map((address) => GEOCODE_OUTCOMES.indexOf(outcomeOf(address))),
          geocoded.map((address) => (outcomeOf(address) === 'NO_MATCH' ? null : COUNTIES[address % COUNTIES.length])),
          geocoded.map((address) => (outcomeOf(address) === 'MATCH' ? '300100' : null)),
          geocoded.map((address) => (outcomeOf(address) === 'MATCH' ? '2004' : null)),
          geocoded.map((address) => (outcomeOf(address) === 'MATCH' ? keyOf(-address) : null)),
        ],
      );
      await client.query('delete from geocode_address where address_key = any($1::bytea[])', [geocoded.map(keyOf)]);
      await this.addresses.applyOutcomes(
        client,
        geocoded.map((address) => ({ key: keyOf(address), outcome: outcomeOf(address) })),
      );
      await beforeCommit?.();
    });
  }

  async current(id: string): Promise<Batch> {
    const batch = await this.pipeline.batches.get(this.apiKeyId, id);
    if (!batch) throw new Error('gone');
    return batch;
  }

  applyOutcomes(...[client, geocoded]: Parameters<BatchAddresses['applyOutcomes']>): Promise<void> {
    return this.addresses.applyOutcomes(client, geocoded);
  }

  completeTimedOut(batchTimeoutSeconds: number): Promise<number> {
    return this.addresses.completeTimedOut(batchTimeoutSeconds);
  }

  /** Counts requested addresses, their waits, and the rows that wait. */
  async asked(): Promise<{ asked: number; waits: number; rows: number }> {
    const { rows } = await this.pool.query<{ asked: number; waits: number; rows: number }>(
      `select (select count(*) from geocode_address)::int as asked, count(*)::int as waits,
              coalesce(sum(rows), 0)::int as rows from location_wait`,
    );
    return rows[0];
  }
}
