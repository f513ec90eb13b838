import { type Pool } from 'pg';
import { OpsRequests, type OpsTarget } from '@donorlens/operations';
import { type TcpProxy, until } from '../installation';
import { type Asking } from './asking';
import { type DataFolder } from './data-folder';

/** What the acts of a round play with. */
export interface Scene {
  readonly asking: Asking;
  /** Past whatever the roles go by. */
  readonly pool: Pool;
  readonly data: DataFolder;
  /** The way to it. */
  readonly geocoder: Pick<TcpProxy, 'set'>;
  readonly hook: { readonly url: string; readonly told: ReadonlySet<string> };
  readonly workers: {
    /** So far, of the installation. */
    readonly ends: () => number;
    readonly end: () => void;
  };
  /** From 0; each has files and rows of its own. */
  readonly round: number;
}

/** What an act found wrong, in words. */
export type Wrong = string;

const ASKED_MS = 300_000;

/** Has the leader do something, and waits until it says so. */
export async function asked({ pool }: Scene, target: OpsTarget, action: 'refresh' | 'redrive' | 'retry-addresses') {
  const id = await new OpsRequests(pool).ask(action, target, 'operator');
  const look = async (): Promise<{ state: string; detail: object } | undefined> =>
    (
      await pool.query<{ state: string; detail: object }>(
        `select state, detail from ops_request where id = $1 and state in ('done', 'failed')`,
        [id],
      )
    ).rows[0];
  const { state, detail } = await until(`${action} of ${JSON.stringify(target)}`, look, ASKED_MS);
  return state === 'done' ? [] : [`${action} of ${JSON.stringify(target)} failed: ${JSON.stringify(detail)}`];
}
