import { Inject, Injectable } from '@nestjs/common';
import { type Pool } from 'pg';
import { type Batch, type BatchRow, batchOf } from '@donorlens/batches';
import { type Fence, PG_POOL, SQL_RETENTION_NOW, holdLease, inTransaction, sqlIsOver } from '@donorlens/database';
import { type WebhookEvent } from './message';
import { type DeliveryResult } from './delivery-result';

/** A message that is due, claimed by this process until the claim expires. */
export interface ClaimedDelivery {
  readonly id: string;
  readonly event: WebhookEvent;
  /** Including this one. */
  readonly attempts: number;
  readonly url: string;
  readonly host: string;
  /** Why the API key that sent the batch is no longer valid; null: it is. */
  readonly keyFault: 'key_revoked' | 'key_expired' | null;
  readonly batch: Batch;
}

/** The receiver of a batch's messages and the newest message, for the page of the batch. */
export interface WebhookStatus {
  readonly host: string;
  /** Null before the first event. */
  readonly event: WebhookEvent | null;
  readonly state: DeliveryResult['state'];
  readonly attempts: number;
  /** HTTP status of the last attempt, if there was an answer. */
  readonly status: number | null;
  /** Code of the last attempt's error. */
  readonly error: string | null;
  /** Of the next attempt if the state is `pending`, else of the delivery. */
  readonly at: Date | null;
}

export interface DeliveryCapacity {
  readonly messages: number;
  readonly perHost: number;
  /** Hosts with deliveries in progress: they get no further ones. */
  readonly busyHosts: readonly string[];
}

/** Longer than a delivery may take. A message whose sender died is sent again after it. */
const CLAIM_SECONDS = 30;

/** The condition of the index batch_to_tell, which holds exactly these batches. */
export const NEEDS_MESSAGE = `
  webhook_url is not null
  and (webhook_told = 0 and state in ('completed', 'cancelled', 'failed')
    or webhook_told = 1 and state = 'completed' and pending_rows = 0 and located_at > finished_at)`;
const MAX_PER_RUN = 1_000;
/** The URL may contain a secret of the receiver; pages and logs show only its host. */
const HOST = `lower(substring(webhook_url from '^[^:]+://([^/?#]*)'))`;

/** A batch that another transaction has locked gets its message in the next run. */
const CREATE_DUE = `
  with ended as (
    update batch set webhook_told = webhook_told + 1
    where id = any (array(select id from batch where ${NEEDS_MESSAGE} limit ${MAX_PER_RUN} for update skip locked))
    returning id, case webhook_told when 1 then 'batch.' || state else 'batch.located' end as event,
              ${HOST} as host
  )
  insert into webhook_delivery (id, batch_id, event, host)
  select gen_random_uuid(), id, event, host from ended
  where not exists (select 1 from webhook_delivery d where d.batch_id = ended.id and d.last_error = 'gone')`;

/** The oldest message of each host first, then the second oldest: a host with many due messages does not delay others. */
const CLAIM = `
  with due as (
    select id, next_at, row_number() over (partition by host order by next_at) as rank_in_host
    from webhook_delivery where state = 'pending' and ${sqlIsOver('next_at', 'wait_seconds')} and host <> all ($3::text[])
  ), chosen as (
    select d.id from webhook_delivery d join due on due.id = d.id
    where due.rank_in_host <= $2 and d.state = 'pending' and ${sqlIsOver('d.next_at', 'd.wait_seconds')}
    order by due.rank_in_host, due.next_at limit $1
    for update of d skip locked
  )
  update webhook_delivery d
  set attempts = d.attempts + 1, next_at = now() + make_interval(secs => ${CLAIM_SECONDS}), wait_seconds = ${CLAIM_SECONDS}
  from chosen c, batch b, api_key k
  where d.id = c.id and b.id = d.batch_id and k.id = b.api_key_id
  returning d.id as delivery_id, d.event, d.attempts, d.host, b.*,
            case when k.revoked_at is not null then 'key_revoked'
                 when k.expires_at <= ${SQL_RETENTION_NOW} then 'key_expired' end as key_fault`;

interface ClaimedRow extends BatchRow {
  delivery_id: string;
  event: WebhookEvent;
  attempts: number;
  host: string;
  key_fault: ClaimedDelivery['keyFault'];
  webhook_url: string;
}

/** Stored messages: one for each event of a batch, with its delivery state. */
@Injectable()
export class DeliveryRepository {
  constructor(@Inject(PG_POOL) private readonly pool: Pool) {}

  /** Null if the batch has no webhook. */
  async statusOf(batchId: string): Promise<WebhookStatus | null> {
    const { rows } = await this.pool.query<WebhookStatus>(
      `select ${HOST} as host, d.event, coalesce(d.state, 'pending') as state, coalesce(d.attempts, 0) as attempts,
         d.last_status as status, d.last_error as error,
         case when d.state = 'pending' then d.next_at else d.delivered_at end as at
       from batch left join webhook_delivery d on d.batch_id = batch.id
       where batch.id = $1 and webhook_url is not null order by d.created_at desc, d.event limit 1`,
      [batchId],
    );
    return rows.at(0) ?? null;
  }

  /** Creates messages for events that have none. Repeated and simultaneous calls create none twice. */
  async createDue(): Promise<number> {
    const { rowCount } = await this.pool.query(CREATE_DUE);
    return rowCount ?? 0;
  }

  /** Claims messages that are due. @throws StaleFenceError if another aggregator is the leader */
  async claim(fence: Fence, { messages, perHost, busyHosts }: DeliveryCapacity): Promise<readonly ClaimedDelivery[]> {
    const rows = await inTransaction(this.pool, async (client) => {
      await holdLease(client, fence);
      return (await client.query<ClaimedRow>(CLAIM, [messages, perHost, busyHosts])).rows;
    });
    return rows.map((row) => ({
      id: row.delivery_id,
      event: row.event,
      attempts: row.attempts,
      url: row.webhook_url,
      host: row.host,
      keyFault: row.key_fault,
      batch: batchOf(row),
    }));
  }

  /** A delivery is final, also if an older claim reports it; other results count only if no newer attempt was made. */
  async recordResult(
    { id, attempts }: Pick<ClaimedDelivery, 'id' | 'attempts'>,
    result: DeliveryResult,
  ): Promise<void> {
    const { state, status, error, waitMs } = result;
    await this.pool.query(
      `update webhook_delivery
       set state = $3, last_status = $4, last_error = $5,
           next_at = case when $3 = 'pending' then now() + make_interval(secs => $6) else next_at end,
           wait_seconds = $6,
           delivered_at = case when $3 = 'delivered' then now() end
       where id = $1 and state <> 'delivered' and ($3 = 'delivered' or (attempts = $2 and state = 'pending'))`,
      [id, attempts, state, status, error, waitMs / 1000],
    );
  }
}
