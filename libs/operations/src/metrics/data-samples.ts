import { type Pool } from 'pg';
import { type Samples, type Sample, labelled, one } from './sampled-metric';

const DELIVERY_STATES = ['pending', 'delivered', 'failed'] as const;

/** What answers and charts come from, how jobs of the schedule ended, and what is told to others. */
export async function readDataSamples(pool: Pool): Promise<Samples> {
  return { ...(await versions(pool)), ...(await refreshes(pool)), ...(await deliveries(pool)) };
}

async function versions(pool: Pool): Promise<Samples> {
  const release = await pool.query<{ label: string; at: number }>(
    `select r.label, extract(epoch from r.created_at)::float8 as at
     from pointer p join data_release r on r.id = p.version_id where p.name = 'data_release'`,
  );
  const charts = await pool.query<{ at: number }>(
    `select extract(epoch from v.built_at)::float8 as at
     from pointer p join chart_version v on v.id = p.version_id::bigint where p.name = 'charts'`,
  );
  return {
    donorlens_data_release_timestamp_seconds: release.rows.map(({ label, at }) => ({ labels: { label }, value: at })),
    donorlens_charts_timestamp_seconds: charts.rows.map(({ at }) => ({ labels: {}, value: at })),
  };
}

interface Run {
  kind: string;
  success: number | null;
  failing: boolean;
}

async function refreshes(pool: Pool): Promise<Samples> {
  const { rows } = await pool.query<Run>(
    `select kind, extract(epoch from max(finished_at) filter (where state = 'done'))::float8 as success,
            coalesce(max(scheduled_for) filter (where state = 'failed')
                     > coalesce(max(scheduled_for) filter (where state = 'done'), '-infinity'), false) as failing
     from job_run group by kind`,
  );
  const succeeded = rows.flatMap(({ kind, success }): Sample[] =>
    success === null ? [] : [{ labels: { kind }, value: success }],
  );
  return {
    donorlens_refresh_success_timestamp_seconds: succeeded,
    donorlens_refresh_failing: rows.map(({ kind, failing }) => ({ labels: { kind }, value: Number(failing) })),
  };
}

async function deliveries(pool: Pool): Promise<Samples> {
  const { rows } = await pool.query<{ state: string; n: number; overdue: number | null }>(
    `select state, count(*)::float8 as n, extract(epoch from now() - min(created_at))::float8 as overdue
     from webhook_delivery group by state`,
  );
  const of = (wanted: string) => rows.find(({ state }) => state === wanted);
  return {
    donorlens_webhook_deliveries: labelled('state', DELIVERY_STATES, (state) => of(state)?.n ?? 0),
    donorlens_webhook_oldest_pending_seconds: one(of('pending')?.overdue ?? 0),
  };
}
