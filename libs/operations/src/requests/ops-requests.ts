import { Inject, Injectable } from '@nestjs/common';
import { type Pool } from 'pg';
import { PG_POOL, inTransaction } from '@donorlens/database';
import { type AuditEntry, type OpsAction, type OpsTarget } from './ops-request';

/** What operators ask of the leader, and the list of what they asked. */
@Injectable()
export class OpsRequests {
  constructor(@Inject(PG_POOL) private readonly pool: Pool) {}

  /**
   * Writes down what is to be done, and who asked; the leader does it within a second or so, a pause at once.
   * @param actor name of a key
   * @returns the request's id
   * @throws OpsRequestError where there is no such thing to do it with
   */
  ask(action: OpsAction, target: OpsTarget, actor: string): Promise<string> {
    return inTransaction(this.pool, async (client) => {
      const { rows } = await client.query<{ id: string }>(
        `insert into ops_request (action, target, actor) values ($1, $2, $3) returning id`,
        [action, JSON.stringify(target), actor],
      );
      await client.query(`insert into audit (actor, action, detail) values ($1, $2, $3)`, [
        actor,
        `ops.${action}`,
        JSON.stringify({ ...target, request: rows[0].id }),
      ]);
      return rows[0].id;
    });
  }

  /** Newest first. */
  async recent(limit = 50): Promise<readonly AuditEntry[]> {
    const { rows } = await this.pool.query<AuditEntry>(
      `select a.id, a.at, a.actor, a.action, coalesce(a.detail, '{}') as detail,
              r.state, r.finished_at as "finishedAt", r.detail as outcome
       from audit a left join ops_request r on r.id = (a.detail ->> 'request')::bigint and a.action like 'ops.%'
       order by a.id desc limit $1`,
      [limit],
    );
    return rows;
  }
}
