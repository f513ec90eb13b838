import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { Installation, ROOT, type Role } from '../installation';
import { Findings, type Outage } from './outage';

const ROLES: readonly Role[] = ['api', 'worker', 'aggregator'];
const DEPENDENCY = 3;

export const redisEvicts: Outage = {
  what: () => 'Redis with maxmemory-policy allkeys-lru',
  promised: `each role refuses to start in one line that says what to do, exit code ${DEPENDENCY}`,
  run: async () => {
    const nobody = { api: 0, worker: 0, aggregator: 0 };
    const installation = await Installation.start({ queue: 'redis', processes: nobody, tuning: 'test' });
    const findings = new Findings();
    try {
      const client = new Redis(installation.redis?.url ?? '');
      await client.config('SET', 'maxmemory-policy', 'allkeys-lru');
      client.disconnect();
      for (const role of ROLES) {
        const { code, lines } = begun(role, installation);
        const isClear = lines.length === 1 && /noeviction/.test(lines[0]) && /redis-cli/.test(lines[0]);
        const message = /"msg":"([^"]*)"/.exec(lines[0] ?? '')?.[1] ?? lines.join(' ');
        findings.add(
          `${role}: exit code ${code}, ${lines.length} line${role === 'api' ? ` (“${message}”)` : ''}`,
          isClear && code === DEPENDENCY,
        );
      }
      return findings.seen;
    } finally {
      await installation.stop();
    }
  },
};

function begun(role: Role, { environment }: Installation): { code: number | null; lines: readonly string[] } {
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(ROOT, `dist/apps/${role}/src/main.js`)], {
    env: { PATH: process.env.PATH, ...environment, PORT: '0' },
    encoding: 'utf8',
    timeout: 60_000,
  });
  return { code: status, lines: `${stdout}${stderr}`.split('\n').filter((line) => line !== '') };
}
