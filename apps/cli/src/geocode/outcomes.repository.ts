import { type Pool, type QueryResultRow } from 'pg';
import { inTransaction } from '@donorlens/database';
import { type ChunkSpec } from '@donorlens/enrichment';
import { type RequestedAddress, type KeySettings, LocationRepository } from '@donorlens/locations';
import { GEOCODE_OUTCOMES, type GeocodeOutcome } from '@donorlens/primitives';

/** Locations that one statement changes, in a few dozen milliseconds. */
const AT_A_TIME = 20_000;
/** Statement timeout for counts, which scan a whole table. */
const COUNT_MS = 300_000;

/** Counts of addresses whose outcome was stored before a given time. */
export interface OutcomeCounts extends QueryResultRow {
  readonly all: number;
  /** The part of `all` that is already being geocoded again. */
  readonly asking: number;
}

/** Rows of a stored batch, one for each address, in the format of the batch. */
export interface KeptRows {
  readonly spec: Omit<ChunkSpec, 'firstRow'>;
  readonly input: Buffer;
  /** Address keys of the rows, as latin1. */
  readonly keys: ReadonlySet<string>;
}

type KeptBatch = Pick<ChunkSpec, 'batchId' | 'format' | 'columns' | 'mapping'>;

/** Batches in other states do not wait for addresses. */
const KEPT = `b.type = 'contributions' and b.import_id is null and b.state in ('accepted', 'running', 'completed')`;
/** $1 is an outcome, $2 a timestamp. */
const AGAIN = `l.outcome = $1 and l.located_at < $2
               and not exists (select from geocode_address a where a.address_key = l.address_key)`;

/** Finds the addresses of one outcome and the stored rows that contain them, and requests geocoding again. */
export class OutcomesRepository {
  private readonly locations: LocationRepository;
  private readonly index: number;

  /** @param settings - benchmark and vintage of the new requests; null if none are made */
  constructor(
    private readonly pool: Pool,
    outcome: GeocodeOutcome,
    settings: KeySettings | null,
  ) {
    this.index = GEOCODE_OUTCOMES.indexOf(outcome);
    this.locations = new LocationRepository(pool, settings);
  }

  /** Current time of the database. Outcomes stored later are not requested again. */
  async now(): Promise<Date> {
    const { rows } = await this.pool.query<{ now: Date }>('select clock_timestamp() as now');
    return rows[0].now;
  }

  async count(before: Date): Promise<OutcomeCounts> {
    return this.counted<OutcomeCounts>(
      `select count(*)::float8 as all, count(a.address_key)::float8 as asking
       from location l left join geocode_address a on a.address_key = l.address_key
       where l.outcome = $1 and l.located_at < $2`,
      before,
    );
  }

  /** Number of addresses that are in rows of stored batches and are not being geocoded again already. */
  async countKept(before: Date): Promise<number> {
    const { kept } = await this.counted<{ kept: number }>(
      `select count(distinct r.address_key)::float8 as kept
       from result r join batch b on b.id = r.batch_id join location l on l.address_key = r.address_key
       where ${KEPT} and ${AGAIN}`,
      before,
    );
    return kept;
  }

  /**
   * Expires the outcomes: new rows treat them as unknown, and results show them until a new outcome is stored. Locked
   * locations, which are being replaced, are skipped without waiting.
   */
  async expire(before: Date): Promise<void> {
    let last: Buffer = Buffer.alloc(0);
    for (let changed = AT_A_TIME; changed === AT_A_TIME;) {
      const { rows } = await this.pool.query<{ address_key: Buffer }>(
        `with next as materialized (
           select address_key from location
           where outcome = $1 and located_at < $2 and address_key > $3 and (expires_at is null or expires_at > now())
           order by address_key limit ${AT_A_TIME} for no key update skip locked
         )
         update location l set expires_at = now() from next where l.address_key = next.address_key
         returning l.address_key`,
        [this.index, before, last],
      );
      changed = rows.length;
      for (const { address_key: key } of rows) if (Buffer.compare(key, last) > 0) last = key;
    }
  }

  /** Yields the rows of stored batches that contain the addresses, one chunk at a time. */
  async *keptRows(before: Date): AsyncGenerator<KeptRows, void> {
    const { rows } = await this.pool.query<{ id: string }>(
      `select b.id from batch b where ${KEPT} order by b.created_at, b.id`,
    );
    for (const { id } of rows) {
      const batch = await this.batch(id);
      if (batch === null) continue;
      for (const range of await this.chunksOf(id)) {
        const kept = await this.rowsOf(batch, range, before);
        if (kept !== null) yield kept;
      }
    }
  }

  /** @returns number of requested addresses */
  async ask(addresses: readonly RequestedAddress[], batchId: string): Promise<number> {
    if (addresses.length === 0) return 0;
    const known = await inTransaction(this.pool, (client) => this.locations.ask(client, addresses, batchId));
    return addresses.length - known.size;
  }

  private counted<T extends QueryResultRow>(sql: string, before: Date): Promise<T> {
    return inTransaction(this.pool, async (client) => (await client.query<T>(sql, [this.index, before])).rows[0], {
      statementTimeoutMs: COUNT_MS,
    });
  }

  /** Null if the batch was deleted or has changed its state since. */
  private async batch(id: string): Promise<KeptBatch | null> {
    const { rows } = await this.pool.query<KeptBatch>(
      `select b.id as "batchId", b.input_format as format, b.columns, coalesce(b.mapping, '{}') as mapping
       from batch b where b.id = $1 and ${KEPT}`,
      [id],
    );
    return rows[0] ?? null;
  }

  private async chunksOf(id: string): Promise<{ first: number; rows: number }[]> {
    const { rows } = await this.pool.query<{ first: number; rows: number }>(
      `select first_row as first, rows from chunk where batch_id = $1 and stage = 'enrich' and state = 'done' order by seq`,
      [id],
    );
    return rows;
  }

  private async rowsOf(
    batch: KeptBatch,
    range: { readonly first: number; readonly rows: number },
    before: Date,
  ): Promise<KeptRows | null> {
    const { rows } = await this.pool.query<{ source: string; address_key: Buffer }>(
      `select distinct on (r.address_key) r.source, r.address_key
       from result r
       join lateral (select * from location l where l.address_key = r.address_key and ${AGAIN} limit 1) l on true
       where r.batch_id = $3 and r.row_no between $4 and $5 order by r.address_key, r.row_no`,
      [this.index, before, batch.batchId, range.first, range.first + range.rows - 1],
    );
    if (rows.length === 0) return null;
    return {
      spec: { ...batch, type: 'contributions', minAge: null, rows: rows.length },
      input: Buffer.from(rows.map(({ source }) => `${source}\n`).join('')),
      keys: new Set(rows.map(({ address_key: key }) => key.toString('latin1'))),
    };
  }
}
