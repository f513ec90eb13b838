import { execFile } from 'node:child_process';
import { type Pool } from 'pg';
import { OperatorRequests, type OpsTarget } from '@donorlens/operations';
import { builtApp, type Role, until } from '../../../test/support/installation';

export interface Exit {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Runs a built program until it exits. */
export function runApp(
  app: Role | 'cli',
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
  timeout = 0,
): Promise<Exit> {
  return new Promise((done) => {
    const options = { env: { PATH: process.env.PATH, ...environment }, timeout, maxBuffer: 1 << 24 };
    execFile(process.execPath, [builtApp(app), ...args], options, (error, out, err) => {
      const code = error ? (typeof error.code === 'number' ? error.code : 1) : 0;
      done({ code, out, err });
    });
  });
}

const REQUEST_MS = 300_000;

/** Sends an operator request and waits until the leader has completed it. */
export async function requestAndWait<Detail>(
  pool: Pool,
  action: 'refresh' | 'redrive' | 'retry-addresses',
  target: OpsTarget,
): Promise<{ readonly state: 'done' | 'failed'; readonly detail: Detail }> {
  const id = await new OperatorRequests(pool).submit(action, target, 'resilience test');
  const sql = `select state, detail from ops_request where id = $1 and state in ('done', 'failed')`;
  const ended = async () => (await pool.query<{ state: 'done' | 'failed'; detail: Detail }>(sql, [id])).rows[0] ?? null;
  return until(`${action} of ${JSON.stringify(target)}`, ended, REQUEST_MS);
}
