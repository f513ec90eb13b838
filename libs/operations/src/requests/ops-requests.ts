import { Inject, Injectable } from '@nestjs/common';
import { type Pool, type PoolClient } from 'pg';
import { type Fence, PG_POOL, inTransaction } from '@donorlens/database';
import { LEADER_LEASE } from '../leader';
import { LANES, type Lane } from './lanes';
import { type AuditEntry, type OpsAction, type OpsRequest, type OpsTarget } from './ops-request';
import { checkedTarget } from './ops-target';

const ASKING_LOCK = 7_206_175; // any number that nobody else locks

/** What operators ask of the leader, and the list of what they asked. */
@Injectable()
export class OpsRequests {
  constructor(@Inject(PG_POOL) private readonly pool: Pool) {}

  /**
   * Writes down what is to be done and who asked; the leader does it within a second, unless something of the kind is at
   * work. What has been asked for and not been done yet is not asked for twice.
   * @param actor name of a key
   * @returns the request's id
   * @throws OpsRequestError where the target is none of the action's
   */
  async ask(action: OpsAction, target: OpsTarget, actor: string): Promise<string> {
    const checked = checkedTarget(action, target);
    return inTransaction(this.pool, async (client) => {
      if (action === 'pause' || action === 'resume') await setPaused(client, action, checked.queue, actor);
      const id = (await openRequest(client, action, checked)) ?? (await newRequest(client, action, checked, actor));
      await record(client, actor, `ops.${action}`, { ...checked, request: id });
      return id;
    });
  }

  /** A line of the list for what is changed at once, and not by the leader. */
  async record(actor: string, action: string, detail: object): Promise<void> {
    await record(this.pool, actor, action, detail);
  }

  /** Newest first. */
  async recent(limit = 50): Promise<readonly AuditEntry[]> {
    const { rows } = await this.pool.query<AuditEntry>(
      `select a.id, a.at, a.actor, a.action, coalesce(a.detail, '{}') as detail,
              r.state, r.finished_at as "finishedAt", r.detail as outcome
       from audit a left join ops_request r on a.action like 'ops.%' and r.id = (a.detail ->> 'request')::bigint
       order by a.id desc limit $1`,
      [limit],
    );
    return rows;
  }

  /** True where something waits to be taken. */
  async isAsked(lane: Lane): Promise<boolean> {
    const { rowCount } = await this.pool.query(
      `select from ops_request where state in ('asked', 'running') and ${LANES[lane]} limit 1`,
    );
    return rowCount === 1;
  }

  /**
   * Takes the oldest request of a lane, also one that a former leader did not bring to its end. For whoever runs the lane
   * one by one: what is marked as running in this term is nobody's either.
   * @returns null where there is none, or another one leads by now
   */
  async next({ lease, epoch }: Fence, lane: Lane): Promise<OpsRequest | null> {
    const { rows } = await this.pool.query<OpsRequest>(
      `update ops_request set state = 'running', epoch = $1, started_at = now()
       where id = (select id from ops_request where state in ('asked', 'running') and ${LANES[lane]}
                     and exists (select from lease where name = $2 and epoch = $1)
                   order by id limit 1 for update skip locked)
       returning id, action, target, actor, epoch`,
      [epoch, lease],
    );
    return rows[0] ?? null;
  }

  /** False where another one leads by now: it takes the request over, so that none fails because a leader was frozen. */
  async finish(request: OpsRequest, state: 'done' | 'failed', detail: object): Promise<boolean> {
    const { rowCount } = await this.pool.query(
      `update ops_request set state = $3, finished_at = now(), detail = $4
       where id = $1 and epoch = $2 and state = 'running' and exists (select from lease where name = $5 and epoch = $2)`,
      [request.id, request.epoch, state, JSON.stringify(detail), LEADER_LEASE],
    );
    return rowCount === 1;
  }
}

async function record(database: Pool | PoolClient, actor: string, action: string, detail: object): Promise<void> {
  await database.query(`insert into audit (actor, action, detail) values ($1, $2, $3)`, [
    actor,
    action,
    JSON.stringify(detail),
  ]);
}

/** Who paused it first has paused it. Holds the queue's row until the request is written: whoever sees one sees both. */
async function setPaused(
  client: PoolClient,
  action: 'pause' | 'resume',
  queue: string | undefined,
  actor: string,
): Promise<void> {
  const values = action === 'pause' ? [queue, actor] : [queue, null];
  await client.query(
    `update queue_state
     set paused_at = case when $2::text is not null then coalesce(paused_at, now()) end,
         paused_by = case when $2::text is not null then coalesce(paused_by, $2) end
     where queue = $1`,
    values,
  );
}

/** Two who ask at the same moment ask one after the other. */
async function openRequest(client: PoolClient, action: OpsAction, target: OpsTarget): Promise<string | null> {
  await client.query('select pg_advisory_xact_lock($1)', [ASKING_LOCK]);
  const { rows } = await client.query<{ id: string }>(
    `select id from ops_request where state in ('asked', 'running') and action = $1 and target = $2 order by id limit 1`,
    [action, JSON.stringify(target)],
  );
  return rows[0]?.id ?? null;
}

async function newRequest(client: PoolClient, action: OpsAction, target: OpsTarget, actor: string): Promise<string> {
  const { rows } = await client.query<{ id: string }>(
    `insert into ops_request (action, target, actor) values ($1, $2, $3) returning id`,
    [action, JSON.stringify(target), actor],
  );
  return rows[0].id;
}
