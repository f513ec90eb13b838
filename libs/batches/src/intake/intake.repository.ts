import { Inject, Injectable } from '@nestjs/common';
import { type Pool, type PoolClient } from 'pg';
import { PG_POOL, inTransaction } from '@donorlens/database';
import { type FieldMapping } from '@donorlens/primitives';
import { type Batch } from '../batch';
import { type BatchRow, batchOf } from '../batch-row';
import { type BuiltChunk, copyChunks } from '../chunk.store';
import { IntakeError } from './intake-error';
import { type IntakeRequest } from './intake-request';

/** A batch before its rows are counted. */
export interface NewBatch {
  readonly id: string;
  readonly request: IntakeRequest;
  readonly columns: readonly string[] | null;
  readonly mapping: FieldMapping;
  readonly ttlHours: number;
}

/** What is known of an input once it has been read to its end. */
export interface WholeInput {
  readonly rows: number;
  readonly chunks: number;
  readonly sha256: Buffer;
}

/** A batch that was accepted under the same idempotency key. */
export interface EarlierBatch {
  readonly batch: Batch;
  readonly sha256: Buffer | null;
}

const LOCK_TIMEOUT = '55P03';

@Injectable()
export class IntakeRepository {
  constructor(@Inject(PG_POOL) private readonly pool: Pool) {}

  /** Requests of this process that wait for a database connection. */
  waiting(): number {
    return this.pool.waitingCount;
  }

  async findByIdempotencyKey(apiKeyId: string, idempotencyKey: string): Promise<EarlierBatch | null> {
    const { rows } = await this.pool.query<BatchRow & { request_sha256: Buffer | null }>(
      'select * from batch where api_key_id = $1 and idempotency_key = $2',
      [apiKeyId, idempotencyKey],
    );
    return rows.length === 0 ? null : { batch: batchOf(rows[0]), sha256: rows[0].request_sha256 };
  }

  /** Rows the key has sent today, by the database's clock in UTC. */
  async rowsToday(apiKeyId: string): Promise<number> {
    const { rows } = await this.pool.query<{ batch_rows: string }>(
      `select batch_rows from key_usage where api_key_id = $1 and day = (now() at time zone 'utc')::date`,
      [apiKeyId],
    );
    return Number(rows[0]?.batch_rows ?? 0);
  }

  /**
   * Writes a batch, its chunks and the row quota of its key in one transaction.
   * @param chunks - may still be arriving; an error that it throws rolls the transaction back
   * @param whole - called after the last chunk
   * @returns null if another batch has the idempotency key; then nothing is written
   * @throws IntakeError `idempotency_in_flight`, at once, while another transaction has the idempotency key;
   *         `release_gone` if the release of the batch was removed while its input arrived
   */
  async write(newBatch: NewBatch, chunks: AsyncIterable<BuiltChunk>, whole: () => WholeInput): Promise<Batch | null> {
    return inTransaction(
      this.pool,
      async (client) => {
        await takeIdempotencyKey(client, newBatch.request);
        if (!(await insertBatch(client, newBatch))) return null;
        await storeDonorAges(client, newBatch);
        await copyChunks(client, newBatch.id, chunks);
        const input = whole();
        await pinRelease(client, newBatch.request.releaseId);
        await countRows(client, newBatch.request, input.rows);
        return finishBatch(client, newBatch.id, input);
      },
      { statementTimeoutMs: 0, onlyCopyIsSlow: true }, // the COPY is in step with the sender, whose silence the intake bounds
    );
  }
}

/**
 * Held until the transaction ends. Without it, each repetition of a request whose client stopped sending would wait at
 * the unique index and occupy a connection; a dozen of them would leave none to other requests.
 */
async function takeIdempotencyKey(client: PoolClient, { apiKeyId, idempotencyKey }: IntakeRequest): Promise<void> {
  if (!idempotencyKey) return;
  const { rows } = await client.query<{ taken: boolean }>(
    `select pg_try_advisory_xact_lock(hashtextextended($1 || ':' || $2, 0)) as taken`,
    [apiKeyId, idempotencyKey],
  );
  if (!rows[0].taken) throw keyInFlight();
}

/**
 * The release was chosen before the first byte was read, and newer ones may have replaced it since. From here until the
 * commit it cannot be removed; afterwards the batch itself keeps it. Not taken earlier: a lock that a slow sender holds
 * would keep an operator from clearing up.
 */
async function pinRelease(client: PoolClient, releaseId: string): Promise<void> {
  const { rowCount } = await client.query('select 1 from data_release where id = $1 for key share', [releaseId]);
  if (rowCount === 0)
    throw new IntakeError('release_gone', 'the reference data were replaced while the input arrived; send it again', {
      release: releaseId,
    });
}

/** Stores the ages with the batch, so that repeated reads give the same ones after charts are refreshed. */
async function storeDonorAges(client: PoolClient, { id, request: { donorAges } }: NewBatch): Promise<void> {
  if (!donorAges) return;
  await client.query('insert into batch_ages (batch_id, groups) values ($1, $2)', [id, JSON.stringify(donorAges)]);
}

async function insertBatch(
  client: PoolClient,
  { id, request, columns, mapping, ttlHours }: NewBatch,
): Promise<boolean> {
  const { rowCount } = await client
    .query(
      `insert into batch (id, api_key_id, idempotency_key, type, input_format, columns, mapping, min_age, age_basis,
                          data_release, webhook_url, name, ethnicity_basis, expires_at)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, now() + make_interval(hours => $14))
       on conflict (api_key_id, idempotency_key) do nothing`,
      [
        id,
        request.apiKeyId,
        request.idempotencyKey ?? null,
        request.type,
        request.format === 'csv' || request.format === 'itcont' ? 'csv' : 'json',
        columns && JSON.stringify(columns),
        JSON.stringify(mapping),
        request.minAge ?? null,
        request.ageBasis ?? null,
        request.releaseId,
        request.webhookUrl ?? null,
        request.name ?? null,
        request.ethnicityBasis === 'place' ? 'place' : null,
        ttlHours,
      ],
    )
    .catch((err: Error & { code?: string }) => {
      if (err.code !== LOCK_TIMEOUT) throw err;
      throw keyInFlight(); // the batch that had it is being deleted
    });
  return rowCount === 1;
}

async function countRows(client: PoolClient, request: IntakeRequest, rows: number): Promise<void> {
  const { rows: usage } = await client.query<{ batch_rows: string }>(
    `insert into key_usage (api_key_id, day, batch_rows) values ($1, (now() at time zone 'utc')::date, $2)
     on conflict (api_key_id, day) do update set batch_rows = key_usage.batch_rows + excluded.batch_rows
     returning batch_rows`,
    [request.apiKeyId, rows],
  );
  const limit = request.batchRowsPerDay;
  if (limit !== undefined && limit !== null && Number(usage[0].batch_rows) > limit)
    throw quotaExceeded(limit, Number(usage[0].batch_rows) - rows);
}

async function finishBatch(client: PoolClient, id: string, { rows, chunks, sha256 }: WholeInput): Promise<Batch> {
  const updated = await client.query<BatchRow>(
    'update batch set rows_total = $2, chunks_total = $3, request_sha256 = $4 where id = $1 returning *',
    [id, rows, chunks, sha256],
  );
  return batchOf(updated.rows[0]);
}

const keyInFlight = (): IntakeError =>
  new IntakeError('idempotency_in_flight', 'a request with the same Idempotency-Key is still being read');

export const quotaExceeded = (limit: number, used: number): IntakeError =>
  new IntakeError('quota_exceeded', `this key may send ${limit} rows a day (UTC), and has sent ${used} today`, {
    limit,
    used,
  });
