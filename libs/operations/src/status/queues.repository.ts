import { type Pool } from 'pg';
import { SQL_RETENTION_NOW, sqlIsOlder, sqlIsOver } from '@donorlens/database';
import { type QueueName } from '@donorlens/queues';
import { DEAD_AFTER_SECONDS } from '../heartbeats/process-heartbeat';
import { SQL_IS_PAUSE_REQUEST } from '../requests/operator-request';
import { WORK_KINDS } from '../heartbeats/work-counter';
import { type QueueRow, type QueueStatus } from './operations-status';
import { STALLED_MINUTES } from './stall-reason';

/** Chunks and calls wait at most a minute. */
const AWAITS_RETRY = `state = 'pending' and not ${sqlIsOver('not_before', 60)}`;
/** May be taken now. */
const WAITS = `state <> 'leased' and not coalesce(${AWAITS_RETRY}, false)`;
const DEPTH = `count(*) filter (where ${WAITS}) as waiting,
  count(*) filter (where state = 'queued') as queued,
  count(*) filter (where state = 'leased') as "inWork",
  count(*) filter (where ${AWAITS_RETRY}) as "waitingForRetry", min(not_before) filter (where ${AWAITS_RETRY}) as "nextRetryAt"`;

/** Each state by itself, for the index on it: chunks that are done are a hundred times as many. */
const OPEN_CHUNKS = ['pending', 'queued', 'leased']
  .map((state) => `select state, rows, not_before, batch_id from chunk where stage = 'enrich' and state = '${state}'`)
  .join(' union all ');

/** Jobs done per minute in a period. Of the minute in which the period begins, a proportional part counts. */
const doneWithin = (minutes: number): string =>
  `sum(done * least(1, greatest(0, extract(epoch from minute + interval '${minutes + 1} minutes' - now()) / 60))) / ${minutes}`;

const DEPTH_OF_QUEUES = `depth as (
    select 'enrich' as queue, coalesce(sum(rows) filter (where state <> 'leased'), 0) as "waitingRows", ${DEPTH},
           min(created_at) filter (where ${WAITS}) as "oldestWaitingAt"
    from (select c.*, b.created_at from (${OPEN_CHUNKS}) c
          join batch b on b.id = c.batch_id and b.state in ('accepted', 'running')) as chunk
    union all
    select 'geocode', 0, ${DEPTH}, (select min(asked_at) from geocode_address where error_code is null)
    from geocode_call
  )`;

/** Includes the whole minute in which the period begins: `queue_minute` has one row per minute. */
const IS_RECENT = `minute > now() - interval '${STALLED_MINUTES + 1} minutes'`;

const READ_QUEUES = `
  with ${DEPTH_OF_QUEUES}, throughput as (
    select queue, ${doneWithin(1)} as last1, ${doneWithin(15)} as last15, ${doneWithin(60)} as last60,
           sum(done) filter (where ${IS_RECENT}) as done_recently, sum(failed) filter (where ${IS_RECENT}) as failed_recently,
           sum(failed) filter (where minute > now() - interval '1 hour') as failed
    from queue_minute where minute between now() - interval '61 minutes' and now() group by queue
  )
  select s.queue, s.paused_at as "pausedAt", s.paused_by as "pausedBy",
         (select max(coalesce(finished_at, now())) from ops_request r
          where r.action = 'resume' and r.target ->> 'queue' = s.queue) as "resumedAt",
         not exists (select from ops_request r where r.state = 'asked' and ${SQL_IS_PAUSE_REQUEST}
                       and r.target ->> 'queue' = s.queue) as "isPauseApplied",
         d.waiting::float8, d.queued::float8,
         d."waitingRows"::float8, d."inWork"::float8, d."waitingForRetry"::float8, d."nextRetryAt", d."oldestWaitingAt",
         coalesce(last1, 0)::float8 as last1, coalesce(last15, 0)::float8 as last15, coalesce(last60, 0)::float8 as last60,
         coalesce(done_recently, 0)::float8 as "doneRecently", coalesce(failed_recently, 0)::float8 as "failedRecently",
         coalesce(failed, 0)::float8 as "failedLastHour",
         coalesce((select json_agg(json_build_object('ago', floor(extract(epoch from now() - m.minute) / 60)::int,
                                                     'done', m.done, 'failed', m.failed,
                                                     'waiting', m.waiting, 'oldestSeconds', m.oldest_seconds) order by m.minute)
                   from queue_minute m
                   where m.queue = s.queue and m.minute > now() - interval '60 minutes' and m.minute <= now()), '[]')
           as "lastHour",
         (select count(*)::int from process where role = 'worker' and s.queue = any(queues)
            and not ${sqlIsOlder('seen_at', '$1')}) as workers
  from queue_state s join depth d using (queue) left join throughput using (queue) order by s.queue`;

/** One statement; some 50 ms where 100,000 chunks wait. */
export async function readQueues(pool: Pool): Promise<readonly QueueRow[]> {
  return (await pool.query<QueueRow>(READ_QUEUES, [DEAD_AFTER_SECONDS])).rows;
}

const SAMPLE_QUEUES = `
  with ${DEPTH_OF_QUEUES}, expired as (
    delete from queue_minute where minute < ${SQL_RETENTION_NOW} - interval '25 hours'
  )
  insert into queue_minute (queue, minute, waiting, oldest_seconds)
  select queue, date_trunc('minute', now()),
         case queue when 'geocode' then (select count(*) from geocode_address) else "waitingRows" end,
         case when "oldestWaitingAt" is not null then greatest(0, extract(epoch from now() - "oldestWaitingAt"))::int end
  from depth order by queue
  on conflict (queue, minute) do update set waiting = greatest(queue_minute.waiting, excluded.waiting),
    oldest_seconds = greatest(queue_minute.oldest_seconds, excluded.oldest_seconds)`;

/** Stores rows and addresses that wait now, and the age of the oldest. A minute with several samples keeps the maxima. */
export async function sampleQueues(pool: Pool): Promise<void> {
  await pool.query(SAMPLE_QUEUES);
}

interface WorkTotal {
  readonly kind: string;
  readonly label: string;
  readonly value: number;
}

/** What workers counted since the service was set up. */
export async function readTotals(pool: Pool): Promise<readonly WorkTotal[]> {
  return (await pool.query<WorkTotal>('select kind, label, value::float8 from work_total')).rows;
}

export const jobsOf = (totals: readonly WorkTotal[], queue: QueueName): QueueStatus['ended'] => ({
  done: 0,
  failed: 0,
  ...labelsOf(totals, WORK_KINDS[queue].jobs),
});

/** Of what is in the jobs of a queue: rows, or addresses. */
export const outcomesOf = (totals: readonly WorkTotal[], queue: QueueName): Readonly<Record<string, number>> =>
  labelsOf(totals, WORK_KINDS[queue].items);

const labelsOf = (totals: readonly WorkTotal[], wanted: string): Record<string, number> =>
  Object.fromEntries(totals.filter(({ kind }) => kind === wanted).map(({ label, value }) => [label, value]));
