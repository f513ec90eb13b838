import { Injectable } from '@nestjs/common';
import { type PoolClient } from 'pg';
import { type AskedAddress, LocationRepository } from '@donorlens/locations';
import { type GeocodeOutcome } from '@donorlens/primitives';
import { type ClaimedChunk } from '../claimed-chunk';
import { type Placed } from '../count-chunk';
import { storeResults } from './store-results';

/** A chunk as it comes out of enrichment. */
export interface EnrichedRows {
  /** Lines of COPY text, columns as RESULT_COLUMNS. */
  readonly copy: Buffer;
  /** Distinct, and with how many rows each. */
  readonly addresses: readonly AskedAddress[];
  /** Rows that could be read and have no address to ask about. */
  readonly skippedRows: number;
}

/** Stores what clients sent: their results, and who waits for which address. */
@Injectable()
export class ResultStore {
  constructor(private readonly locations: LocationRepository) {}

  /**
   * In the transaction of the chunk's commit. Addresses that nobody knows are asked for. Whether one is known is settled
   * under a lock that whoever stores its outcome needs as well: either the outcome is seen here, or the wait is seen
   * there.
   * @param known outcomes of the addresses known before, by their keys as latin1
   */
  async store(
    client: PoolClient,
    { batchId }: Pick<ClaimedChunk, 'batchId'>,
    { copy, addresses, skippedRows }: EnrichedRows,
    known: ReadonlyMap<string, GeocodeOutcome>,
  ): Promise<Placed> {
    await storeResults(client, copy);
    const unknown = addresses.filter(({ key }) => !known.has(mapKey(key)));
    const meanwhile = unknown.length > 0 ? await this.locations.ask(client, unknown, batchId) : NONE;
    const waiting = unknown.filter(({ key }) => !meanwhile.has(mapKey(key)));
    await storeWaits(client, batchId, waiting);
    return placed(addresses, skippedRows, (key) => known.get(key) ?? meanwhile.get(key));
  }
}

const NONE: ReadonlyMap<string, GeocodeOutcome> = new Map();
const mapKey = (key: Buffer): string => key.toString('latin1');

/** In the order of keys: chunks of a batch that share addresses wait for each other, and never in a circle. */
async function storeWaits(client: PoolClient, batchId: string, waiting: readonly AskedAddress[]): Promise<void> {
  if (waiting.length === 0) return;
  await client.query({
    name: 'waits-stored',
    text: `insert into location_wait as w (address_key, batch_id, rows, ok_rows)
      select address_key, $1, rows, ok_rows
      from unnest($2::bytea[], $3::int[], $4::int[]) as asked (address_key, rows, ok_rows)
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

function placed(
  addresses: readonly AskedAddress[],
  skipped: number,
  outcomeOf: (key: string) => GeocodeOutcome | undefined,
): Placed {
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
