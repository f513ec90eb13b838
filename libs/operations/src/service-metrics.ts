import { Injectable } from '@nestjs/common';
import { type Registry, Gauge } from 'prom-client';
import { METRICS, type ServiceMetricName, type MetricSpec } from '@donorlens/observability';
import { OperationsWatch } from './status/operations-watch';
import { type SourceKind } from './requests/operator-request';
import { RUNS } from './schedules';
import { type OperationsStatus, type ProcessStatus, type QueueStatus } from './status/operations-status';
import { PROCESS_ROLES } from './heartbeats/process-heartbeat';

/**
 * Metrics of the whole service, with the numbers of `/ops`. Every api process exposes the same values, so alert rules
 * use max(), not sum(). If the database does not answer (0) or is too slow (1), only `donorlens_database_up` is exposed,
 * because old numbers would look current.
 */
@Injectable()
export class ServiceMetrics {
  constructor(private readonly watch: OperationsWatch) {}

  /** Registers the metrics. Each scrape reads the state once for all of them. */
  register(registry: Registry): void {
    for (const name of SERVICE_METRICS)
      registry.registerMetric(new SampledMetric(name, METRICS[name], async () => (await this.read())[name] ?? []));
  }

  private async read(): Promise<Samples> {
    const { status, issue } = await this.watch.read();
    if (issue) return { donorlens_database_up: one(Number(issue.kind === 'slow')) };
    return status ? samplesOf(status) : {};
  }
}

const SERVICE_METRICS = (Object.keys(METRICS) as (keyof typeof METRICS)[]).filter(
  (name): name is ServiceMetricName => METRICS[name].source === 'service',
);

/** State of the service as Prometheus metrics. */
function samplesOf(status: OperationsStatus): Samples {
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
    donorlens_erasure_overdue_seconds: one(secondsSince(status.oldestExpiredAt, at)),
    ...dataSamples(status),
    donorlens_webhook_deliveries: labelled(
      'state',
      ['pending', 'delivered', 'failed'],
      (state) => status.webhooks[state],
    ),
    donorlens_webhook_oldest_pending_seconds: one(secondsSince(status.webhooks.oldestPendingAt, at)),
  };
}

const clockDifference = ({ clockDifferenceSeconds }: ProcessStatus): number => Math.abs(clockDifferenceSeconds ?? 0);

/** Samples of live processes; none while heartbeats are late, because late processes would count as missing. */
function lifeSamples({ leader, processes, queues, lateSince }: OperationsStatus): Samples {
  if (lateSince !== null) return {};
  const alive = processes.filter(({ isAlive }) => isAlive);
  return {
    donorlens_leader_present: one(Number(leader !== null)),
    donorlens_processes: labelled('role', PROCESS_ROLES, (role) => alive.filter((one) => one.role === role).length),
    donorlens_clock_difference_seconds: one(Math.max(0, ...alive.map(clockDifference))),
    donorlens_workers: queues.map(({ queue, workers }) => ({ labels: { queue }, value: workers })),
  };
}

const ENDS = ['done', 'failed'] as const;

function queueSamples({ at, queues }: OperationsStatus): Samples {
  const depths = (queue: QueueStatus) =>
    Object.entries({
      pending: queue.waiting - queue.queued + queue.waitingForRetry,
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

/** Runs without those of sources that are switched off: these are never overdue. */
function scheduledRuns({ runs, sources }: OperationsStatus): OperationsStatus['runs'] {
  const off = sources.filter(({ nextRunAt }) => nextRunAt === null).map((source) => RUN_OF[source.kind]);
  return runs.filter(({ kind }) => !off.includes(kind));
}

/** Age of the data release and of charts, and results of scheduled runs. */
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

const CIRCUIT_STATES = ['closed', 'open', 'probing'] as const;

function geocoderSamples({ at, geocoder, queues }: OperationsStatus): Samples {
  const oldest = queues.find(({ queue }) => queue === 'geocode')?.oldestWaitingAt ?? null;
  return {
    donorlens_geocoder_circuit: labelled('state', CIRCUIT_STATES, (state) => Number(geocoder.circuit === state)),
    donorlens_geocoder_refused: one(Number(geocoder.refusedReason !== null)),
    donorlens_geocoder_calls_total: [
      { labels: { outcome: 'answered' }, value: geocoder.calls },
      { labels: { outcome: 'failed' }, value: geocoder.callsFailed },
    ],
    donorlens_geocoder_tie_calls_total: one(geocoder.tieCalls),
    donorlens_geocoder_rows_sent_total: one(geocoder.rowsSent),
    donorlens_geocoder_rows_answered_total: one(geocoder.rowsAnswered),
    donorlens_geocoder_lookups_total: [
      { labels: { result: 'known' }, value: geocoder.hits },
      { labels: { result: 'new' }, value: geocoder.misses },
    ],
    donorlens_geocoder_calls_running: one(geocoder.running),
    donorlens_geocoder_calls_per_minute: one(geocoder.callsPerMinute),
    donorlens_geocoder_pending_addresses: one(geocoder.waiting),
    donorlens_geocoder_failed_addresses: one(geocoder.errors),
    donorlens_geocoder_oldest_pending_seconds: one(secondsSince(oldest, at)),
  };
}

interface Sample {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** Samples by metric; metrics without samples are left out. */
type Samples = { readonly [name in ServiceMetricName]?: readonly Sample[] };

/**
 * A metric that exposes only the samples of the current read. Metrics of prom-client keep each series forever, and
 * their counters cannot be set to a total.
 */
class SampledMetric extends Gauge {
  constructor(
    name: string,
    private readonly spec: MetricSpec,
    private readonly samples: () => Promise<readonly Sample[]>,
  ) {
    super({ name, help: spec.help, labelNames: spec.labels, registers: [] });
  }

  override async get(): ReturnType<Gauge['get']> {
    const { type } = this.spec as unknown as { type: Awaited<ReturnType<Gauge['get']>>['type'] }; // prom-client's enum exists in its types only
    const samples = await this.samples();
    const values = samples.map(({ labels, value }) => ({ labels: { ...labels }, value }));
    return { ...(await super.get()), type, values };
  }
}

/** Sample of a metric without labels. */
const one = (value: number): readonly Sample[] => [{ labels: {}, value }];

/** A sample for each value of a label, including zeros: PromQL cannot compare a series that appears and disappears. */
const labelled = <V extends string>(
  label: string,
  values: readonly V[],
  valueOf: (value: V) => number,
): readonly Sample[] => values.map((value) => ({ labels: { [label]: value }, value: valueOf(value) }));

/** Seconds since a time; 0 for null. */
const secondsSince = (at: Date | null, now: Date): number =>
  at === null ? 0 : Math.max(0, (now.getTime() - at.getTime()) / 1000);
