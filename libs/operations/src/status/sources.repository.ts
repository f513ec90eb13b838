import { type Pool } from 'pg';
import { type Config, isHttpUrl } from '@donorlens/config';
import { type SourceKind } from '../requests/operator-request';
import { RUNS, fecSchedule, filingsSchedule, referenceSchedule, type Schedule, nextScheduledTime } from '../schedules';
import { type RunStatus, type SourceStatus } from './operations-status';
import { type ServiceRow } from './service.repository';

export type ScheduleConfig = Pick<
  Config,
  'referenceRefresh' | 'dataSource' | 'fecImportAt' | 'fecCycles' | 'fecFilings'
>;

interface RunRow {
  readonly kind: string;
  readonly lastRunAt: Date | null;
  readonly lastOutcome: string | null;
  readonly hadTick: boolean;
}

const RUN_ROWS = `
  select k.kind, newest.started_at as "lastRunAt",
         case newest.state when 'done' then coalesce(newest.detail ->> 'outcome', nullif(concat_ws('; ',
                             'missing: ' || (newest.detail ->> 'missing'), 'loaded: ' || (newest.detail ->> 'loaded'),
                             'unchanged: ' || (newest.detail ->> 'unchanged')), ''), 'done')
                           when 'failed' then coalesce(newest.detail ->> 'message', 'failed') else newest.state end as "lastOutcome",
         exists (select from job_run where kind = k.kind and scheduled_for = k.tick) as "hadTick"
  from unnest($1::text[], $2::timestamptz[]) as k (kind, tick)
  left join lateral (select * from job_run where kind = k.kind order by scheduled_for desc limit 1) as newest on true`;

/** Success and failure of scheduled runs by kind, also of kinds that load no source. */
export async function readRuns(pool: Pool): Promise<readonly RunStatus[]> {
  const { rows } = await pool.query<RunStatus>(
    `select kind, max(finished_at) filter (where state = 'done') as "lastSuccessAt",
            min(coalesce(finished_at, started_at)) filter (where state = 'failed' and scheduled_for > last_done) as "failingSince"
     from (select *, coalesce(max(scheduled_for) filter (where state = 'done') over (partition by kind), '-infinity') as last_done
           from job_run) as run
     group by kind order by kind`,
  );
  return rows;
}

/** Each source with its schedule; charts follow after every import, and have none. */
export async function readSources(
  pool: Pool,
  config: ScheduleConfig,
  service: Pick<ServiceRow, 'now' | 'release' | 'charts' | 'hasRealData' | 'importLoadedAt' | 'filingLoadedAt'>,
  runs: readonly RunStatus[],
): Promise<readonly SourceStatus[]> {
  const planned = [
    {
      kind: 'reference-data',
      run: RUNS.referenceData,
      schedule: referenceSchedule(config, service.release?.label ?? null),
    },
    { kind: 'fec', run: RUNS.fec, schedule: hasCycles(config) ? fecSchedule(config, service.hasRealData) : null },
    { kind: 'filings', run: RUNS.filings, schedule: filingsSchedule(config) },
  ] as const;
  const ticks = planned.map(({ schedule }) => schedule?.(service.now) ?? null);
  const { rows } = await pool.query<RunRow>(RUN_ROWS, [planned.map(({ run }) => run), ticks]);
  const loadedAt: Partial<Record<SourceKind, Date | null>> = {
    fec: service.importLoadedAt,
    filings: service.filingLoadedAt,
  };
  const sources = planned.map(({ kind, run, schedule }) => {
    const row = rows.find((one) => one.kind === run);
    return {
      ...{ kind, label: LABELS[kind] },
      lastSuccessAt: laterOf(runs.find((one) => one.kind === run)?.lastSuccessAt ?? null, loadedAt[kind] ?? null),
      lastRunAt: row?.lastRunAt ?? null,
      lastOutcome: row?.lastOutcome ?? null,
      failingSince: schedule && (runs.find((one) => one.kind === run)?.failingSince ?? null),
      nextRunAt: schedule && nextRun(schedule, service.now, row?.hadTick ?? false),
    };
  });
  return [...sources, chartsSource(service.charts)];
}

const LABELS: Readonly<Record<SourceKind, string>> = {
  'reference-data': 'Reference data (names, life tables, surnames, incomes)',
  fec: 'FEC bulk files (candidates, committees, contributions)',
  filings: 'FEC electronic filings of the last days',
  charts: 'Charts',
};

/** True if cycles are known: FEC_CYCLES is set, or DATA_SOURCE is a folder, whose files determine them. */
const hasCycles = ({ fecCycles, dataSource }: ScheduleConfig): boolean =>
  fecCycles !== undefined || (dataSource !== undefined && !isHttpUrl(dataSource));

/** A tick that has not had its run yet is due. */
const nextRun = (schedule: Schedule, now: Date, hadTick: boolean): Date =>
  hadTick ? nextScheduledTime(schedule, now) : schedule(now);

const chartsSource = (charts: ServiceRow['charts']): SourceStatus => ({
  ...{ kind: 'charts', label: LABELS.charts, nextRunAt: null },
  lastSuccessAt: charts?.builtAt ?? null,
  lastRunAt: charts?.builtAt ?? null,
  failingSince: null,
  lastOutcome: charts && (charts.isBehind ? 'there is newer data to be charted' : 'up to date'),
});

const laterOf = (one: Date | null, other: Date | null): Date | null =>
  one === null || (other !== null && other > one) ? other : one;
