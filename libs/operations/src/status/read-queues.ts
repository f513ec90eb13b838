import { type Pool } from 'pg';
import { type QueueName } from '@donorlens/queues';
import { DEAD_AFTER_SECONDS } from '../beats/process-beat';
import { PAUSING } from '../requests/lanes';

/** What Postgres knows of a queue, before the queue's server and the geocoder are asked. */
export interface QueueRow {
  readonly queue: QueueName;
  /** Null: it runs. */
  readonly pausedAt: Date | null;
  /** Name of a key. */
  readonly pausedBy: string | null;
  /** The queue's server has been told whether it is paused: false for a moment, or for as long as nobody leads. */
  readonly isPauseTold: boolean;
  /** Chunks, or calls to the geocoder, that may be taken now. */
  readonly waiting: number;
  /** Of those that wait: they have a job. */
  readonly queued: number;
  /** Rows of chunks that wait or are parked, or addresses without an outcome. */
  readonly waitingRows: number;
  readonly inWork: number;
  /** They failed, and wait for their next try. */
  readonly parked: number;
  /** When the first of those is due; null where none is. */
  readonly parkedUntil: Date | null;
  /** When the oldest of what may be taken now, a batch's chunk or an address, was asked for; what is parked is left out. */
  readonly oldestWaitingAt: Date | null;
  /** Jobs done a minute over the last so many minutes. */
  readonly last1: number;
  readonly last15: number;
  readonly last60: number;
  /** Jobs that ended in the last two minutes. */
  readonly endedLately: number;
  readonly failedLastHour: number;
  /** Processes alive that take jobs from it. */
  readonly workers: number;
}

const IS_PARKED = `state = 'pending' and not_before > now()`;
/** May be taken now. */
const WAITS = `state <> 'leased' and not coalesce(${IS_PARKED}, false)`;
const DEPTH = `count(*) filter (where ${WAITS}) as waiting,
  count(*) filter (where state = 'queued') as queued,
  count(*) filter (where state = 'leased') as "inWork",
  count(*) filter (where ${IS_PARKED}) as parked, min(not_before) filter (where ${IS_PARKED}) as "parkedUntil"`;

/** Each state by itself, for the index on it: chunks that are done are a hundred times as many. */
const OPEN_CHUNKS = ['pending', 'queued', 'leased']
  .map((state) => `select state, rows, not_before, batch_id from chunk where stage = 'enrich' and state = '${state}'`)
  .join(' union all ');

/** Jobs done in the last so many minutes: of the minute in which they begin, the part that is left. */
const doneWithin = (minutes: number): string =>
  `sum(done * least(1, greatest(0, extract(epoch from minute + interval '${minutes + 1} minutes' - now()) / 60))) / ${minutes}`;

const READ_QUEUES = `
  with depth as (
    select 'enrich' as queue, coalesce(sum(rows) filter (where state <> 'leased'), 0) as "waitingRows", ${DEPTH},
           min(created_at) filter (where ${WAITS}) as "oldestWaitingAt"
    from (select c.*, b.created_at from (${OPEN_CHUNKS}) c
          join batch b on b.id = c.batch_id and b.state in ('accepted', 'running')) as chunk
    union all
    select 'geocode', 0, ${DEPTH}, (select min(asked_at) from geocode_address where error_code is null)
    from geocode_call
  ), pace as (
    select queue, ${doneWithin(1)} as last1, ${doneWithin(15)} as last15, ${doneWithin(60)} as last60,
           sum(done + failed) filter (where minute > now() - interval '3 minutes') as lately,
           sum(failed) filter (where minute > now() - interval '1 hour') as failed
    from queue_minute where minute > now() - interval '61 minutes' group by queue
  )
  select s.queue, s.paused_at as "pausedAt", s.paused_by as "pausedBy",
         not exists (select from ops_request r where r.state = 'asked' and ${PAUSING}
                       and r.target ->> 'queue' = s.queue) as "isPauseTold",
         d.waiting::float8, d.queued::float8,
         d."waitingRows"::float8, d."inWork"::float8, d.parked::float8, d."parkedUntil", d."oldestWaitingAt",
         coalesce(last1, 0)::float8 as last1, coalesce(last15, 0)::float8 as last15, coalesce(last60, 0)::float8 as last60,
         coalesce(lately, 0)::float8 as "endedLately", coalesce(failed, 0)::float8 as "failedLastHour",
         (select count(*)::int from process where role = 'worker' and s.queue = any(queues)
            and seen_at > now() - make_interval(secs => $1)) as workers
  from queue_state s join depth d using (queue) left join pace using (queue) order by s.queue`;

/** One statement; some 50 ms where 100,000 chunks wait. */
export async function readQueues(pool: Pool): Promise<readonly QueueRow[]> {
  return (await pool.query<QueueRow>(READ_QUEUES, [DEAD_AFTER_SECONDS])).rows;
}
