import { readFileSync, readdirSync } from 'node:fs';
import { type Redis } from 'ioredis';
import { type Pool } from 'pg';
import { type Installation } from '../installation';

/** One look at everything that could grow, by name. */
export type Look = Readonly<Record<string, number>>;

const MB = 1 << 20;

/** @param redis null where the queue is on Postgres */
export async function look(installation: Installation, pool: Pool, redis: Redis | null): Promise<Look> {
  const { rows } = await pool.query<{ connections: number }>(
    `select count(*)::int as connections from pg_stat_activity where application_name like 'donorlens%'`,
  );
  return {
    ...Object.fromEntries(installation.processes.flatMap(({ name, pid }) => ofProcess(name, pid))),
    'connections to Postgres': rows[0].connections,
    ...(redis && (await ofRedis(redis))),
  };
}

function ofProcess(name: string, pid: number): [string, number][] {
  const kilobytes = Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
  return [
    [`${name}: resident set, MB`, kilobytes / 1024],
    [`${name}: file descriptors`, readdirSync(`/proc/${pid}/fd`).length],
  ];
}

/** Its log of slow commands, of 128 entries at most, fills where the machine is busy: it is emptied first. */
async function ofRedis(redis: Redis): Promise<Record<string, number>> {
  await redis.slowlog('RESET');
  const info = await redis.info();
  const number = (field: string): number => Number(new RegExp(`^${field}:(\\d+)`, 'm').exec(info)?.[1]);
  return {
    'Redis: memory, MB': number('used_memory') / MB,
    'Redis: connections': number('connected_clients'),
    'Redis: keys': await redis.dbsize(),
  };
}
