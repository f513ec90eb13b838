import { type Pool } from 'pg';
import { QUEUES } from '@donorlens/queues';
import { DEAD_AFTER_SECONDS } from '../beats/process-beat';
import { PROCESS_ROLES } from '../status/process-role';
import { type Samples, labelled, one } from './sampled-metric';

/** Of chunks and calls that are not done. One that is done is of no interest here, and there are millions. */
const STATES = ['pending', 'queued', 'leased'] as const;

interface Depth {
  queue: string;
  state: string;
  n: number;
  oldest_seconds: number;
}

/** Indexes on the states that are not done answer this: some 50 ms for 100,000 chunks that wait. */
const DEPTHS = `
  select 'enrich' as queue, c.state, count(*)::float8 as n,
         extract(epoch from now() - min(b.created_at))::float8 as oldest_seconds
  from chunk c join batch b on b.id = c.batch_id
  where c.stage = 'enrich' and c.state in ('pending', 'queued', 'leased') group by c.state
  union all
  select 'geocode', state, count(*)::float8, extract(epoch from now() - min(created_at))::float8
  from geocode_call group by state`;

const ALIVE = `select role, queues from process where seen_at > now() - make_interval(secs => $1)`;

export async function readQueueSamples(pool: Pool): Promise<Samples> {
  const queues = Object.values(QUEUES);
  const depths = (await pool.query<Depth>(DEPTHS)).rows;
  const alive = (await pool.query<{ role: string; queues: string[] }>(ALIVE, [DEAD_AFTER_SECONDS])).rows;
  const paused = await pool.query<{ queue: string }>('select queue from queue_state where paused_at is not null');
  const leader = await pool.query(`select from lease where name = 'aggregator' and expires_at > clock_timestamp()`);
  const workers = alive.filter(({ role }) => role === 'worker');
  const depthOf = (queue: string, state: string): number =>
    depths.find((depth) => depth.queue === queue && depth.state === state)?.n ?? 0;
  const ageOf = (queue: string): number =>
    Math.max(
      0,
      ...depths.filter((depth) => depth.queue === queue && depth.state !== 'leased').map((d) => d.oldest_seconds),
    );
  return {
    donorlens_leader_present: one(leader.rowCount ?? 0),
    donorlens_processes: labelled('role', PROCESS_ROLES, (role) => alive.filter((one) => one.role === role).length),
    donorlens_workers: labelled('queue', queues, (queue) => workers.filter((w) => w.queues.includes(queue)).length),
    donorlens_queue_paused: labelled('queue', queues, (queue) => Number(paused.rows.some((p) => p.queue === queue))),
    donorlens_queue_depth: queues.flatMap((queue) =>
      STATES.map((state) => ({ labels: { queue, state }, value: depthOf(queue, state) })),
    ),
    donorlens_queue_oldest_waiting_seconds: labelled('queue', queues, ageOf),
  };
}
