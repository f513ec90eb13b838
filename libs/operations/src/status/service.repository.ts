import { type Pool } from 'pg';
import { SQL_INSTALLATION_STATE, SQL_LEASE_OVER, sqlIsOlder } from '@donorlens/database';
import { DEAD_AFTER_SECONDS } from '../heartbeats/process-heartbeat';
import { LEADER_LEASE } from '../schedules';
import { type BatchesStatus, type OperationsStatus, type ProcessStatus } from './operations-status';

/** State of the service that one statement reads. */
export interface ServiceRow extends Pick<
  OperationsStatus,
  'leader' | 'release' | 'charts' | 'webhooks' | 'oldestExpiredAt' | 'isRestored' | 'isNewTimeline'
> {
  readonly now: Date;
  readonly hasRealData: boolean;
  readonly importLoadedAt: Date | null;
  readonly filingLoadedAt: Date | null;
  readonly batches: Omit<BatchesStatus, 'oldest' | 'failedLastDay'>;
}

interface Row extends Omit<ServiceRow, 'leader' | 'release' | 'charts' | 'webhooks' | 'batches'> {
  holder: string | null;
  epoch: string | null;
  release_id: string | null;
  release_label: string | null;
  release_built_at: Date | null;
  release_since: Date | null;
  charts_id: string | null;
  charts_built_at: Date | null;
  charts_behind: boolean;
  pending: number;
  delivered: number;
  given_up: number;
  failed_last_day: number;
  oldest_pending_at: Date | null;
  accepted: number;
  running: number;
  cancelling: number;
  open: number;
  open_rows: number;
  import_open: number;
  import_rows: number;
  completed: number;
  failed: number;
  cancelled: number;
}

const UNFINISHED = `state in ('accepted', 'running', 'cancelling')`;
const FINISHED_LAST_DAY = `finished_at > now() - interval '1 day'`;

/** `next_at` is the end of the last attempt's claim. */
const FAILED_LAST_DAY = `state = 'failed' and next_at > now() - interval '1 day'`;

const SERVICE = `
  select clock_timestamp() as now, leader.holder, leader.epoch,
         release.id as release_id, release.label as release_label,
         release.created_at as release_built_at, release.moved_at as release_since,
         charts.id as charts_id, charts.built_at as charts_built_at,
         exists (select from donor_touched)
           or (select version_id from pointer where name = 'fec-masters') is distinct from charts.masters as charts_behind,
         exists (select from fec_import where kind = 'masters' and state = 'done' and label <> 'sample') as "hasRealData",
         (select max(finished_at) from fec_import
          where kind in ('masters', 'contributions') and state = 'done' and label <> 'sample') as "importLoadedAt",
         (select max(finished_at) from fec_import
          where kind = 'filing' and state = 'done' and label <> 'sample') as "filingLoadedAt",
         (select min(expires_at) from batch
          where state in ('completed', 'cancelled', 'failed') and expires_at < now()) as "oldestExpiredAt",
         installation.state = 'restored' as "isRestored", installation.state = 'new-timeline' as "isNewTimeline",
         webhooks.*, batches.*
  from (select ${SQL_INSTALLATION_STATE} as state) as installation
  left join (select holder, epoch from lease where name = '${LEADER_LEASE}' and not ${SQL_LEASE_OVER}) as leader on true
  left join (select r.id, r.label, r.created_at, p.moved_at from pointer p join data_release r on r.id = p.version_id
             where p.name = 'data_release') as release on true
  left join (select v.id, v.built_at, v.detail ->> 'masters' as masters
             from pointer p join chart_version v on v.id = p.version_id::bigint where p.name = 'charts') as charts on true
  cross join (select count(*) filter (where state = 'pending')::int as pending,
                     count(*) filter (where state = 'delivered')::int as delivered,
                     count(*) filter (where state = 'failed')::int as given_up,
                     count(*) filter (where ${FAILED_LAST_DAY})::int as failed_last_day,
                     min(created_at) filter (where state = 'pending') as oldest_pending_at from webhook_delivery) as webhooks
  cross join (
    select count(*) filter (where ${UNFINISHED} and import_id is null)::int as open,
           coalesce(sum(rows_total) filter (where ${UNFINISHED} and import_id is null), 0)::float8 as open_rows,
           count(*) filter (where ${UNFINISHED} and import_id is not null)::int as import_open,
           coalesce(sum(rows_total) filter (where ${UNFINISHED} and import_id is not null), 0)::float8 as import_rows,
           count(*) filter (where state = 'accepted')::int as accepted,
           count(*) filter (where state = 'running')::int as running,
           count(*) filter (where state = 'cancelling')::int as cancelling,
           count(*) filter (where state = 'completed' and import_id is null and ${FINISHED_LAST_DAY})::int as completed,
           count(*) filter (where state = 'failed' and ${FINISHED_LAST_DAY})::int as failed,
           count(*) filter (where state = 'cancelled' and ${FINISHED_LAST_DAY})::int as cancelled
    from batch where ${UNFINISHED} or (state in ('completed', 'cancelled', 'failed') and ${FINISHED_LAST_DAY})) as batches`;

export async function readService(pool: Pool): Promise<ServiceRow> {
  const [row] = (await pool.query<Row>(SERVICE)).rows;
  const { now, hasRealData, importLoadedAt, filingLoadedAt, oldestExpiredAt, isRestored, isNewTimeline } = row;
  return {
    ...{ now, hasRealData, importLoadedAt, filingLoadedAt, oldestExpiredAt, isRestored, isNewTimeline },
    ...leaderAndVersions(row),
    webhooks: {
      ...{ pending: row.pending, delivered: row.delivered, failed: row.given_up },
      failedLastDay: row.failed_last_day,
      oldestPendingAt: row.oldest_pending_at,
    },
    batches: {
      ...{ open: row.open, rowsOpen: row.open_rows, imports: { open: row.import_open, rows: row.import_rows } },
      byState: { accepted: row.accepted, running: row.running, cancelling: row.cancelling },
      ...{ completed: row.completed, failed: row.failed, cancelled: row.cancelled },
    },
  };
}

function leaderAndVersions(row: Row): Pick<ServiceRow, 'leader' | 'release' | 'charts'> {
  const { holder, epoch, release_id: id, release_label: label } = row;
  const { release_built_at: builtAt, release_since: activeSince } = row;
  const { charts_id: versionId, charts_built_at: chartedAt, charts_behind: isBehind } = row;
  return {
    leader: holder !== null && epoch !== null ? { holder, epoch } : null,
    release:
      id !== null && label !== null && builtAt !== null && activeSince !== null
        ? { id, label, builtAt, activeSince }
        : null,
    charts: versionId !== null && chartedAt !== null ? { versionId, builtAt: chartedAt, isBehind } : null,
  };
}

/** Processes that are alive, and for an hour those that were killed. */
export async function readProcesses(pool: Pool): Promise<readonly ProcessStatus[]> {
  const { rows } = await pool.query<ProcessStatus>(
    `select id, role, host, pid, version, queues, clock_difference_seconds as "clockDifferenceSeconds", started_at as "startedAt", seen_at as "seenAt", in_work as "inWork",
            not ${sqlIsOlder('seen_at', '$1')} as "isAlive"
     from process order by role, started_at, id`,
    [DEAD_AFTER_SECONDS],
  );
  return rows;
}
