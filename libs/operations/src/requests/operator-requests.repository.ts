import { Inject, Injectable } from '@nestjs/common';
import { type Pool, type PoolClient } from 'pg';
import { type Fence, PG_POOL, inTransaction, recordAudit } from '@donorlens/database';
import { LEADER_LEASE } from '../schedules';
import {
  REQUEST_QUEUES,
  type RequestQueue,
  type AuditEntry,
  type OpsAction,
  type OperatorRequest,
  type OpsTarget,
  checkedTarget,
} from './operator-request';

const REQUEST_LOCK = 7_206_175; // any number that is not locked elsewhere

/** Requests of operators to the leader, and the audit log. */
@Injectable()
export class OperatorRequests {
  constructor(@Inject(PG_POOL) private readonly pool: Pool) {}

  /**
   * Records a request; the leader runs it within a second, unless a request of the same queue is running. An open request
   * with the same action and target is not recorded twice.
   * @param actor - name of the API key
   * @returns id of the request
   * @throws OperatorRequestError if the target does not fit the action
   */
  async submit(action: OpsAction, target: OpsTarget, actor: string): Promise<string> {
    const checked = checkedTarget(action, target);
    return inTransaction(this.pool, async (client) => {
      if (action === 'pause' || action === 'resume') await setPaused(client, action, checked.queue, actor);
      const id =
        (await findUnfinishedRequest(client, action, checked)) ?? (await insertRequest(client, action, checked, actor));
      await recordAudit(client, actor, `ops.${action}`, { ...checked, request: id });
      return id;
    });
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

  /** State and result of a request; undefined if there is none with the id. */
  async find(id: string): Promise<Pick<AuditEntry, 'state' | 'outcome'> | undefined> {
    const { rows } = await this.pool.query<Pick<AuditEntry, 'state' | 'outcome'>>(
      'select state, detail as outcome from ops_request where id = $1',
      [id],
    );
    return rows[0];
  }

  /** True if a request of the queue is not finished: waiting, running, or left by a former leader. */
  async hasUnfinishedRequest(queue: RequestQueue): Promise<boolean> {
    const { rowCount } = await this.pool.query(
      `select from ops_request where state in ('asked', 'running') and ${REQUEST_QUEUES[queue]} limit 1`,
    );
    return rowCount === 1;
  }

  /**
   * Takes the oldest request of a queue, also one that a former leader did not finish. The caller runs the requests of a
   * queue one by one, so a request marked as running in this term is open, too.
   * @returns null if there is none, or if another aggregator has become the leader
   */
  async claimNext({ lease, epoch }: Fence, queue: RequestQueue): Promise<OperatorRequest | null> {
    const { rows } = await this.pool.query<OperatorRequest>(
      `update ops_request set state = 'running', epoch = $1, started_at = now()
       where id = (select id from ops_request where state in ('asked', 'running') and ${REQUEST_QUEUES[queue]}
                     and exists (select from lease where name = $2 and epoch = $1)
                   order by id limit 1 for update skip locked)
       returning id, action, target, actor, epoch`,
      [epoch, lease],
    );
    return rows[0] ?? null;
  }

  /** @returns false if another aggregator has become the leader, which then carries out the request */
  async finish(request: OperatorRequest, state: 'done' | 'failed', detail: object): Promise<boolean> {
    const { rowCount } = await this.pool.query(
      `update ops_request set state = $3, finished_at = now(), detail = $4
       where id = $1 and epoch = $2 and state = 'running' and exists (select from lease where name = $5 and epoch = $2)`,
      [request.id, request.epoch, state, JSON.stringify(detail), LEADER_LEASE],
    );
    return rowCount === 1;
  }
}

/**
 * The first pause stays on record. Locks the queue's row until the request is written, so that readers see both or
 * none.
 */
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

/**
 * Id of an unfinished request with the same action and target. Its lock makes simultaneous submissions run one after the
 * other.
 */
async function findUnfinishedRequest(client: PoolClient, action: OpsAction, target: OpsTarget): Promise<string | null> {
  await client.query('select pg_advisory_xact_lock($1)', [REQUEST_LOCK]);
  const { rows } = await client.query<{ id: string }>(
    `select id from ops_request where state in ('asked', 'running') and action = $1 and target = $2 order by id limit 1`,
    [action, JSON.stringify(target)],
  );
  return rows[0]?.id ?? null;
}

async function insertRequest(client: PoolClient, action: OpsAction, target: OpsTarget, actor: string): Promise<string> {
  const { rows } = await client.query<{ id: string }>(
    `insert into ops_request (action, target, actor) values ($1, $2, $3) returning id`,
    [action, JSON.stringify(target), actor],
  );
  return rows[0].id;
}
