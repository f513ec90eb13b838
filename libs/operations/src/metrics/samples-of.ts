import { type SourceKind } from '../requests/ops-request';
import { RUNS } from '../schedule/schedules';
import { type OperationsStatus, type QueueStatus } from '../status/operations-status';
import { PROCESS_ROLES } from '../status/process-role';
import { geocoderSamples } from './geocoder-samples';
import { type Sample, type Samples, labelled, one, secondsSince } from './sampled-metric';

/** The state of the service, as Prometheus is told of it. */
export function samplesOf(status: OperationsStatus): Samples {
  const { at, violations, batches } = status;
  return {
    donorlens_database_up: one(1),
    ...lifeSamples(status),
    ...queueSamples(status),
    ...geocoderSamples(status),
    donorlens_rows_total: byOutcome(status.rowOutcomes),
    donorlens_addresses_total: byOutcome(status.outcomes),
    donorlens_batches_open: Object.entries(batches.byState).map(([state, value]) => ({ labels: { state }, value })),
    donorlens_invariant_violations: violations === null ? [] : one(violations),
    ...dataSamples(status),
    donorlens_webhook_deliveries: labelled(
      'state',
      ['pending', 'delivered', 'failed'],
      (state) => status.webhooks[state],
    ),
    donorlens_webhook_oldest_pending_seconds: one(secondsSince(status.webhooks.oldestPendingAt, at)),
  };
}

/** Who is there; nothing while signs of life are late: nobody would be taken for dead who is not. */
function lifeSamples({ leader, processes, queues, lateSince }: OperationsStatus): Samples {
  if (lateSince !== null) return {};
  const alive = processes.filter(({ isAlive }) => isAlive);
  return {
    donorlens_leader_present: one(Number(leader !== null)),
    donorlens_processes: labelled('role', PROCESS_ROLES, (role) => alive.filter((one) => one.role === role).length),
    donorlens_workers: queues.map(({ queue, workers }) => ({ labels: { queue }, value: workers })),
  };
}

const ENDS = ['done', 'failed'] as const;

function queueSamples({ at, queues }: OperationsStatus): Samples {
  const depths = (queue: QueueStatus) =>
    Object.entries({
      pending: queue.waiting - queue.queued + queue.parked,
      queued: queue.queued,
      leased: queue.inWork,
    });
  const each = (valueOf: (queue: QueueStatus) => number): readonly Sample[] =>
    queues.map((queue) => ({ labels: { queue: queue.queue }, value: valueOf(queue) }));
  return {
    donorlens_queue_server_up: one(Number(queues.every(({ jobs }) => jobs !== null))),
    donorlens_queue_paused: each(({ pausedAt }) => Number(pausedAt !== null)),
    donorlens_queue_depth: queues.flatMap((queue) =>
      depths(queue).map(([state, value]) => ({ labels: { queue: queue.queue, state }, value })),
    ),
    donorlens_queue_oldest_waiting_seconds: each(({ oldestWaitingAt }) => secondsSince(oldestWaitingAt, at)),
    donorlens_jobs_total: queues.flatMap(({ queue, ended }) =>
      ENDS.map((outcome) => ({ labels: { queue, outcome }, value: ended[outcome] })),
    ),
  };
}

const RUN_OF: Readonly<Partial<Record<SourceKind, string>>> = {
  'reference-data': RUNS.referenceData,
  fec: RUNS.fec,
  filings: RUNS.filings,
};

/** A source that has been switched off is not overdue, however it ended when it ran. */
function scheduledRuns({ runs, sources }: OperationsStatus): OperationsStatus['runs'] {
  const off = sources.filter(({ nextRunAt }) => nextRunAt === null).map((source) => RUN_OF[source.kind]);
  return runs.filter(({ kind }) => !off.includes(kind));
}

/** What answers and charts come from, and how jobs of the schedule ended. */
function dataSamples(status: OperationsStatus): Samples {
  const { release, charts } = status;
  const runs = scheduledRuns(status);
  return {
    donorlens_data_release_timestamp_seconds: release
      ? [{ labels: { label: release.label }, value: seconds(release.builtAt) }]
      : [],
    donorlens_charts_timestamp_seconds: charts ? one(seconds(charts.builtAt)) : [],
    donorlens_refresh_success_timestamp_seconds: runs.flatMap(({ kind, lastSuccessAt }) =>
      lastSuccessAt === null ? [] : [{ labels: { kind }, value: seconds(lastSuccessAt) }],
    ),
    donorlens_refresh_failing: runs.map(({ kind, failingSince }) => ({
      labels: { kind },
      value: Number(failingSince !== null),
    })),
  };
}

const byOutcome = (totals: Readonly<Record<string, number>>): readonly Sample[] =>
  Object.entries(totals).map(([outcome, value]) => ({ labels: { outcome }, value }));

const seconds = (at: Date): number => at.getTime() / 1000;
