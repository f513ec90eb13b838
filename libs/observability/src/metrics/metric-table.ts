import { DEFAULT_METRICS } from './default-metrics';
import { type MetricSource, type MetricSpec, type MetricType } from './metric-spec';

const of = <S extends MetricSource, L extends string>(
  source: S,
  type: MetricType,
  labels: readonly L[],
  help: string,
): MetricSpec & { readonly source: S; readonly labels: readonly L[] } => ({ source, type, labels, help });

const OWN = {
  donorlens_build_info: of('every process', 'gauge', ['role', 'version'], 'Always 1.'),
  donorlens_http_request_duration_seconds: of(
    'api',
    'histogram',
    ['method', 'route', 'status'],
    'Time from the first byte of a request to the last of its answer. The route is a template, the status a class such as 2xx.',
  ),
  donorlens_job_duration_seconds: of(
    'worker',
    'histogram',
    ['queue', 'outcome'],
    'Time that a job took, from its start in the worker to its end: done, nothing (there was nothing to do any more), put_off (the database was away, and it is tried again) or failed.',
  ),
  donorlens_jobs_in_work: of('worker', 'gauge', ['queue'], 'Jobs that this worker has in hand.'),

  donorlens_database_up: of(
    'service',
    'gauge',
    [],
    '1 where the database answers. With 0, or where it is too slow to be read in 3 s, all others of the service are missing.',
  ),
  donorlens_leader_present: of('service', 'gauge', [], '1 where an aggregator leads.'),
  donorlens_processes: of('service', 'gauge', ['role'], 'Processes that are alive.'),
  donorlens_workers: of('service', 'gauge', ['queue'], 'Workers that are alive and take jobs from the queue.'),
  donorlens_queue_server_up: of(
    'service',
    'gauge',
    [],
    "1 where the queue's server (Redis, or Postgres where there is none) answers.",
  ),
  donorlens_queue_paused: of('service', 'gauge', ['queue'], '1 where an operator has paused the queue.'),
  donorlens_queue_depth: of(
    'service',
    'gauge',
    ['queue', 'state'],
    'Chunks of batches (enrich) and calls to the geocoder (geocode) that are not done: pending, queued (with a job) or leased (in work).',
  ),
  donorlens_queue_oldest_waiting_seconds: of(
    'service',
    'gauge',
    ['queue'],
    'Age of the oldest of what may be taken now, a chunk by its batch or an address; 0 where all is in work or waits for its next try.',
  ),
  donorlens_jobs_total: of(
    'service',
    'counter',
    ['queue', 'outcome'],
    'Jobs of all workers: done, or failed but for those that found no database and are tried again.',
  ),
  donorlens_rows_total: of('service', 'counter', ['outcome'], 'Rows of batches that were enriched, by their outcome.'),
  donorlens_addresses_total: of(
    'service',
    'counter',
    ['outcome'],
    'Addresses in calls that were made, by their outcome: match, no_match, tie, or unanswered (asked again).',
  ),
  donorlens_batches_open: of('service', 'gauge', ['state'], 'Batches that have not ended.'),
  donorlens_invariant_violations: of(
    'service',
    'gauge',
    [],
    'Batches whose counters do not agree with their chunks; compared once a minute. Must be 0.',
  ),

  donorlens_geocoder_circuit: of(
    'service',
    'gauge',
    ['state'],
    '1 for the state that the circuit is in: closed, open or probing; 0 for the others.',
  ),
  donorlens_geocoder_refused: of(
    'service',
    'gauge',
    [],
    '1 where the geocoder does not know the benchmark or vintage that it is asked for.',
  ),
  donorlens_geocoder_calls_total: of('service', 'counter', ['outcome'], 'Calls with addresses: answered or failed.'),
  donorlens_geocoder_tie_calls_total: of('service', 'counter', [], 'Requests for the candidates of one address.'),
  donorlens_geocoder_rows_sent_total: of('service', 'counter', [], 'Addresses in answered calls.'),
  donorlens_geocoder_rows_answered_total: of('service', 'counter', [], 'Addresses that came back with an outcome.'),
  donorlens_geocoder_lookups_total: of(
    'service',
    'counter',
    ['result'],
    'Addresses of rows that were known when they came, and those that were new.',
  ),
  donorlens_geocoder_calls_running: of('service', 'gauge', [], 'Calls that are out and not answered yet.'),
  donorlens_geocoder_calls_per_minute: of(
    'service',
    'gauge',
    [],
    'Rate in force; lower than configured where the geocoder said too many.',
  ),
  donorlens_geocoder_pending_addresses: of('service', 'gauge', [], 'Addresses without an outcome.'),
  donorlens_geocoder_failed_addresses: of(
    'service',
    'gauge',
    [],
    'Of the pending addresses: those that failed on their own and are asked again after some hours.',
  ),
  donorlens_geocoder_oldest_pending_seconds: of(
    'service',
    'gauge',
    [],
    'Time since the oldest pending address was asked for, but for those that failed on their own; 0 where there is none.',
  ),

  donorlens_data_release_timestamp_seconds: of(
    'service',
    'gauge',
    ['label'],
    'When the reference data that answers come from were built: official, folder or sample.',
  ),
  donorlens_charts_timestamp_seconds: of('service', 'gauge', [], 'When the charts that are shown were built.'),
  donorlens_refresh_success_timestamp_seconds: of(
    'service',
    'gauge',
    ['kind'],
    'When a scheduled job of this kind last ended well.',
  ),
  donorlens_refresh_failing: of('service', 'gauge', ['kind'], '1 where the newest finished run of this kind failed.'),
  donorlens_webhook_deliveries: of(
    'service',
    'gauge',
    ['state'],
    'Messages about ended batches that are kept: pending, delivered or failed (given up).',
  ),
  donorlens_webhook_oldest_pending_seconds: of(
    'service',
    'gauge',
    [],
    'Time since the oldest pending message was made; 0 where none is.',
  ),
};

/** Every metric there is, by name. docs/metrics.md, the rules and the dashboard are compared with it. */
export const METRICS = { ...OWN, ...DEFAULT_METRICS };

export type MetricName = keyof typeof METRICS;
export type ServiceMetricName = {
  [N in keyof typeof OWN]: (typeof OWN)[N]['source'] extends 'service' ? N : never;
}[keyof typeof OWN];
