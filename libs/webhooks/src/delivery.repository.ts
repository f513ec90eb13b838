import { type Pool } from 'pg';
import { type Batch, type BatchRow, batchOf } from '@donorlens/batches';
import { type Fence, holdLease, inTransaction } from '@donorlens/database';
import { type WebhookEvent } from './message';
import { type Verdict } from './verdict';

/** A message whose turn it is, in our hands until its claim runs out. */
export interface ClaimedDelivery {
  readonly id: string;
  readonly event: WebhookEvent;
  /** This one included. */
  readonly attempts: number;
  readonly url: string;
  readonly host: string;
  /** Why the key that sent the batch opens nothing any more; null: it does. */
  readonly keyFault: 'key_revoked' | 'key_expired' | null;
  readonly batch: Batch;
}

export interface Room {
  readonly messages: number;
  readonly perHost: number;
  /** Hosts that are being sent to: they wait. */
  readonly busyHosts: readonly string[];
}

/** Longer than a message may take. One whose sender is gone is sent again after it. */
const CLAIM_SECONDS = 30;

/** Written as the index batch_to_tell is: it holds these batches and no others. */
export const TO_TELL = `
  webhook_url is not null
  and (webhook_told = 0 and state in ('completed', 'cancelled', 'failed')
    or webhook_told = 1 and state = 'completed' and pending_rows = 0 and located_at > finished_at)`;
const MOST_AT_ONCE = 1_000;

/** One that somebody else holds is told the next time. */
const CREATE_DUE = `
  with told as (
    update batch set webhook_told = webhook_told + 1
    where id = any (array(select id from batch where ${TO_TELL} limit ${MOST_AT_ONCE} for update skip locked))
    returning id, case webhook_told when 1 then 'batch.' || state else 'batch.located' end as event,
              lower(substring(webhook_url from '^[^:]+://([^/?#]*)')) as host
  )
  insert into webhook_delivery (id, batch_id, event, host)
  select gen_random_uuid(), id, event, host from told
  where not exists (select 1 from webhook_delivery d where d.batch_id = told.id and d.last_error = 'gone')`;

/** A host's share first, then the oldest: one with many messages due takes no other's turn. */
const CLAIM = `
  with due as (
    select id, next_at, row_number() over (partition by host order by next_at) as place
    from webhook_delivery where state = 'pending' and next_at <= now() and host <> all ($3::text[])
  ), chosen as (
    select d.id from webhook_delivery d join due on due.id = d.id
    where due.place <= $2 and d.state = 'pending' and d.next_at <= now()
    order by due.place, due.next_at limit $1
    for update of d skip locked
  )
  update webhook_delivery d
  set attempts = d.attempts + 1, next_at = now() + make_interval(secs => ${CLAIM_SECONDS})
  from chosen c, batch b, api_key k
  where d.id = c.id and b.id = d.batch_id and k.id = b.api_key_id
  returning d.id as delivery_id, d.event, d.attempts, d.host, b.*,
            case when k.revoked_at is not null then 'key_revoked'
                 when k.expires_at <= now() then 'key_expired' end as key_fault`;

interface ClaimedRow extends BatchRow {
  delivery_id: string;
  event: WebhookEvent;
  attempts: number;
  host: string;
  key_fault: ClaimedDelivery['keyFault'];
  webhook_url: string;
}

/** Messages in the database: one for each event of a batch, and how far each is. */
export class DeliveryRepository {
  constructor(private readonly pool: Pool) {}

  /** Messages of events that have none. Asking again, or two at a time, makes none twice. */
  async createDue(): Promise<number> {
    const { rowCount } = await this.pool.query(CREATE_DUE);
    return rowCount ?? 0;
  }

  /** Takes messages whose turn it is. @throws StaleFenceError where another one leads */
  async claim(fence: Fence, { messages, perHost, busyHosts }: Room): Promise<readonly ClaimedDelivery[]> {
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

  /** What was delivered stays so, whoever says it; any other verdict counts only where nobody has tried again since. */
  async settle({ id, attempts }: Pick<ClaimedDelivery, 'id' | 'attempts'>, verdict: Verdict): Promise<void> {
    const { state, status, error, waitMs } = verdict;
    await this.pool.query(
      `update webhook_delivery
       set state = $3, last_status = $4, last_error = $5,
           next_at = case when $3 = 'pending' then now() + make_interval(secs => $6) else next_at end,
           delivered_at = case when $3 = 'delivered' then now() end
       where id = $1 and state <> 'delivered' and ($3 = 'delivered' or (attempts = $2 and state = 'pending'))`,
      [id, attempts, state, status, error, waitMs / 1000],
    );
  }
}
