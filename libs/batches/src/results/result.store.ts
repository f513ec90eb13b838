import { Injectable } from '@nestjs/common';
import { type PoolClient } from 'pg';
import { copyIn } from '@donorlens/database';
import { type RequestedAddress, LocationRepository } from '@donorlens/locations';
import { type GeocodeOutcome } from '@donorlens/primitives';
import { type ChunkAddresses, type ClaimedChunk } from '../chunk';
import { RESULT_COLUMNS } from './result-rows';

/** An enriched chunk. */
export interface EnrichedRows {
  /** Lines of COPY text, columns as RESULT_COLUMNS. */
  readonly copy: Buffer;
  /** Distinct addresses, each with the number of its rows. */
  readonly addresses: readonly RequestedAddress[];
  /** Valid rows without a usable address. */
  readonly skippedRows: number;
}

const COPY_RESULT = `copy result (${RESULT_COLUMNS.join(', ')}) from stdin`;

/** @param copy - lines of COPY text, columns as RESULT_COLUMNS */
export async function storeResults(client: PoolClient, copy: Buffer): Promise<void> {
  await copyIn(client, COPY_RESULT, copy);
}

/** Stores the results of clients' batches, and which rows wait for which address. */
@Injectable()
export class ResultStore {
  constructor(private readonly locations: LocationRepository) {}

  /**
   * Runs in the transaction of the chunk's commit. Unknown addresses are requested from the geocoder. The check whether
   * an address is known holds a lock that storing its outcome needs as well: either the outcome is seen here, or the
   * waiting rows are seen there.
   * @param known - outcomes of the addresses known before, by their keys as latin1
   */
  async store(
    client: PoolClient,
    { batchId }: Pick<ClaimedChunk, 'batchId'>,
    { copy, addresses, skippedRows }: EnrichedRows,
    known: ReadonlyMap<string, GeocodeOutcome>,
  ): Promise<ChunkAddresses> {
    await storeResults(client, copy);
    const unknown = addresses.filter(({ key }) => !known.has(mapKey(key)));
    const meanwhile = unknown.length > 0 ? await this.locations.ask(client, unknown, batchId) : NONE;
    const waiting = unknown.filter(({ key }) => !meanwhile.has(mapKey(key)));
    await storeWaits(client, batchId, waiting);
    return countAddresses(addresses, skippedRows, (key) => known.get(key) ?? meanwhile.get(key));
  }
}

const NONE: ReadonlyMap<string, GeocodeOutcome> = new Map();
const mapKey = (key: Buffer): string => key.toString('latin1');

/** In the order of keys, so that chunks that share addresses cannot deadlock. */
async function storeWaits(client: PoolClient, batchId: string, waiting: readonly RequestedAddress[]): Promise<void> {
  if (waiting.length === 0) return;
  await client.query({
    name: 'waits-stored',
    text: `insert into location_wait as w (address_key, batch_id, rows, ok_rows)
      select address_key, $1, rows, ok_rows
      from unnest($2::bytea[], $3::int[], $4::int[]) as requested (address_key, rows, ok_rows)
      order by address_key
      on conflict (address_key, batch_id)
      do update set rows = w.rows + excluded.rows, ok_rows = w.ok_rows + excluded.ok_rows`,
    values: [
      batchId,
      waiting.map(({ key }) => key),
      waiting.map(({ rows }) => rows),
      waiting.map(({ okRows }) => okRows),
    ],
  });
}

function countAddresses(
  addresses: readonly RequestedAddress[],
  skipped: number,
  outcomeOf: (key: string) => GeocodeOutcome | undefined,
): ChunkAddresses {
  const rows: Record<GeocodeOutcome | 'PENDING', number> = { MATCH: 0, NO_MATCH: 0, TIE: 0, PENDING: 0 };
  let partial = 0;
  for (const address of addresses) {
    const outcome = outcomeOf(mapKey(address.key)) ?? 'PENDING';
    rows[outcome] += address.rows;
    if (outcome === 'NO_MATCH' || outcome === 'TIE') partial += address.okRows;
  }
  return {
    addresses: { match: rows.MATCH, noMatch: rows.NO_MATCH, tie: rows.TIE, skipped, pending: rows.PENDING },
    partial,
  };
}
