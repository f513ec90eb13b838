import { type Redis } from 'ioredis';
import { type Pool } from 'pg';
import { type Role } from '../installation';

/** What runs out by itself 10 to 30 s after a process has died, by the process. */
const RUNS_OUT: Readonly<Record<Role, readonly string[]>> = {
  api: [],
  worker: [
    `update chunk set lease_until = now() - interval '1 second' where state = 'leased'`,
    `update geocode_call set lease_until = now() - interval '1 second' where state = 'leased'`,
  ],
  aggregator: [
    `update lease set expires_at = now() - interval '1 second' where expires_at > now()`,
    `update webhook_delivery set next_at = now() where state = 'pending'`,
  ],
};
const JOBS_ARE_LOST = [
  `update chunk set enqueued_at = enqueued_at - interval '1 minute' where state = 'queued'`,
  `update geocode_call set enqueued_at = enqueued_at - interval '1 minute' where state = 'queued'`,
  `update chunk set not_before = now() where not_before > now()`,
  `update geocode_call set not_before = now() where not_before > now()`,
];

/** After a process has died: leases, claims and locks that only it would have renewed run out now instead of later. */
export async function timePasses(role: Role, pool: Pool, redis: Redis | null): Promise<void> {
  for (const sql of [...RUNS_OUT[role], ...JOBS_ARE_LOST]) await pool.query(sql).catch(() => undefined);
  if (redis && role === 'worker') for (const queue of ['enrich', 'geocode']) await locksRunOut(redis, queue);
}

/** What BullMQ does by two looks, five seconds apart: the first marks jobs that are at work, the second takes those without a lock. */
async function locksRunOut(redis: Redis, queue: string): Promise<void> {
  const key = (name: string): string => `{donorlens}:${queue}:${name}`;
  const jobs = await redis.lrange(key('active'), 0, -1);
  if (jobs.length === 0) return;
  await redis.del(key('stalled-check'), ...jobs.map((job) => key(`${job}:lock`)));
  await redis.sadd(key('stalled'), ...jobs);
}
