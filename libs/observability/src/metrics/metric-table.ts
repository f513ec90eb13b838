type MetricType = 'counter' | 'gauge' | 'histogram' | 'summary';

/**
 * Processes that expose a metric: those of one role, every process, or each api for the whole service. Metrics of the
 * service are the same in every api process: alert rules use their max.
 */
export type MetricSource = 'api' | 'worker' | 'every process' | 'service';

export interface MetricSpec {
  readonly type: MetricType;
  readonly labels: readonly string[];
  readonly source: MetricSource;
  readonly help: string;
}

const defaultMetric = (type: MetricSpec['type'], help: string, labels: readonly string[] = []): MetricSpec => ({
  source: 'every process',
  type,
  labels,
  help,
});

/** Those of prom-client's default metrics that we keep, under their usual names: dashboards of others know these. */
export const DEFAULT_METRICS = {
  process_cpu_user_seconds_total: defaultMetric('counter', 'CPU time spent in the program.'),
  process_cpu_system_seconds_total: defaultMetric('counter', 'CPU time spent in the system for it.'),
  process_cpu_seconds_total: defaultMetric('counter', 'Both together.'),
  process_start_time_seconds: defaultMetric('gauge', 'When the process was started.'),
  process_resident_memory_bytes: defaultMetric('gauge', 'Memory that the process takes.'),
  process_open_fds: defaultMetric('gauge', 'Open files and sockets; Linux only.'),
  process_max_fds: defaultMetric('gauge', 'How many it may open; Linux only.'),
  nodejs_eventloop_lag_seconds: defaultMetric('gauge', 'Delay of the event loop at the moment of the scrape.'),
  nodejs_eventloop_lag_mean_seconds: defaultMetric('gauge', 'Delay since the last scrape: mean.'),
  nodejs_eventloop_lag_p50_seconds: defaultMetric('gauge', 'Delay since the last scrape: median.'),
  nodejs_eventloop_lag_p99_seconds: defaultMetric('gauge', 'Delay since the last scrape: 99th percentile.'),
  nodejs_eventloop_lag_max_seconds: defaultMetric('gauge', 'Delay since the last scrape: longest.'),
  nodejs_heap_size_total_bytes: defaultMetric('gauge', 'Heap of the program.'),
  nodejs_heap_size_used_bytes: defaultMetric('gauge', 'Of it in use.'),
  nodejs_external_memory_bytes: defaultMetric('gauge', 'Buffers outside the heap.'),
  nodejs_version_info: defaultMetric('gauge', 'Version of Node.js.', ['version', 'major', 'minor', 'patch']),
  nodejs_gc_duration_seconds: defaultMetric('histogram', 'Garbage collections: major, minor, incremental or weakcb.', [
    'kind',
  ]),
};

const metric = <S extends MetricSource, L extends string>(
  source: S,
  type: MetricType,
  labels: readonly L[],
  help: string,
): MetricSpec & { readonly source: S; readonly labels: readonly L[] } => ({ source, type, labels, help });

const OWN = {
  donorlens_build_info: metric('every process', 'gauge', ['role', 'version'], 'Always 1.'),
  donorlens_http_request_duration_seconds: metric(
    'api',
    'histogram',
    ['method', 'route', 'status'],
    'Time from the first byte of a request to the last of its response. The status is a class such as 2xx.',
  ),
  donorlens_wrong_keys_total: metric(
    'api',
    'counter',
    ['outcome'],
    'Requests with a key that is unknown, expired or revoked: checked (401), or blocked before a lookup (429).',
  ),
  donorlens_job_duration_seconds: metric(
    'worker',
    'histogram',
    ['queue', 'outcome'],
    'Run time of a job by outcome: done, nothing (there was no work left), put_off (a transient error; it is retried) or failed.',
  ),
  donorlens_jobs_in_work: metric('worker', 'gauge', ['queue'], 'Jobs that this worker runs.'),

  donorlens_database_up: metric(
    'service',
    'gauge',
    [],
    '1 if the database answers. If it does not, or not within 3 s, all other service metrics are absent.',
  ),
  donorlens_leader_present: metric('service', 'gauge', [], '1 if an aggregator leads.'),
  donorlens_clock_difference_seconds: metric(
    'service',
    'gauge',
    [],
    'Largest difference between the clocks of Postgres and a live process.',
  ),
  donorlens_erasure_overdue_seconds: metric(
    'service',
    'gauge',
    [],
    'Time since the oldest batch expired that is not erased.',
  ),
  donorlens_processes: metric('service', 'gauge', ['role'], 'Live processes.'),
  donorlens_workers: metric('service', 'gauge', ['queue'], 'Live workers that take jobs from the queue.'),
  donorlens_queue_server_up: metric('service', 'gauge', [], '1 if the queue server (Redis, or else Postgres) answers.'),
  donorlens_queue_paused: metric('service', 'gauge', ['queue'], '1 if an operator has paused the queue.'),
  donorlens_queue_depth: metric(
    'service',
    'gauge',
    ['queue', 'state'],
    'Unfinished chunks (enrich) and geocode calls (geocode): pending, queued (with a job) or leased (running).',
  ),
  donorlens_queue_oldest_waiting_seconds: metric(
    'service',
    'gauge',
    ['queue'],
    'Age of the oldest due work (a chunk, by its batch, or an address); 0 if all runs or waits for a retry.',
  ),
  donorlens_jobs_total: metric(
    'service',
    'counter',
    ['queue', 'outcome'],
    'Jobs of all workers: done or failed, without those retried for lack of a database.',
  ),
  donorlens_rows_total: metric('service', 'counter', ['outcome'], 'Enriched rows of batches by outcome.'),
  donorlens_addresses_total: metric(
    'service',
    'counter',
    ['outcome'],
    'Addresses in finished calls by outcome: match, no_match, tie, or unanswered (sent again).',
  ),
  donorlens_batches_open: metric('service', 'gauge', ['state'], 'Unfinished batches.'),
  donorlens_invariant_violations: metric(
    'service',
    'gauge',
    [],
    'Batches whose counters do not match their chunks, checked once a minute. Must be 0.',
  ),

  donorlens_geocoder_circuit: metric(
    'service',
    'gauge',
    ['state'],
    '1 for the current state (closed, open or probing), 0 for the others.',
  ),
  donorlens_geocoder_refused: metric(
    'service',
    'gauge',
    [],
    '1 if the geocoder does not have the configured benchmark or vintage.',
  ),
  donorlens_geocoder_calls_total: metric(
    'service',
    'counter',
    ['outcome'],
    'Calls with addresses: answered or failed.',
  ),
  donorlens_geocoder_tie_calls_total: metric('service', 'counter', [], 'Requests for the candidates of one address.'),
  donorlens_geocoder_rows_sent_total: metric('service', 'counter', [], 'Addresses in answered calls.'),
  donorlens_geocoder_rows_answered_total: metric('service', 'counter', [], 'Addresses returned with an outcome.'),
  donorlens_geocoder_lookups_total: metric(
    'service',
    'counter',
    ['result'],
    'Addresses of rows: already known, or new.',
  ),
  donorlens_geocoder_calls_running: metric('service', 'gauge', [], 'Calls without an answer yet.'),
  donorlens_geocoder_calls_per_minute: metric(
    'service',
    'gauge',
    [],
    'Current rate; below the configured one after the geocoder reported too many calls.',
  ),
  donorlens_geocoder_pending_addresses: metric('service', 'gauge', [], 'Addresses without an outcome.'),
  donorlens_geocoder_failed_addresses: metric(
    'service',
    'gauge',
    [],
    'Pending addresses that failed when sent alone and are retried after some hours.',
  ),
  donorlens_geocoder_oldest_pending_seconds: metric(
    'service',
    'gauge',
    [],
    'Age of the oldest pending address, without those that failed alone; 0 if there is none.',
  ),

  donorlens_data_release_timestamp_seconds: metric(
    'service',
    'gauge',
    ['label'],
    'When the current reference data were built: official, folder or sample.',
  ),
  donorlens_charts_timestamp_seconds: metric('service', 'gauge', [], 'When the current charts were built.'),
  donorlens_refresh_success_timestamp_seconds: metric(
    'service',
    'gauge',
    ['kind'],
    'When a scheduled job of this kind last succeeded.',
  ),
  donorlens_refresh_failing: metric('service', 'gauge', ['kind'], '1 if the newest finished run of this kind failed.'),
  donorlens_webhook_deliveries: metric(
    'service',
    'gauge',
    ['state'],
    'Stored messages about finished batches: pending, delivered or failed (no retries left).',
  ),
  donorlens_webhook_oldest_pending_seconds: metric(
    'service',
    'gauge',
    [],
    'Age of the oldest pending message; 0 if there is none.',
  ),
};

/** Every metric there is, by name. docs/metrics.md, the rules and the dashboard are compared with it. */
export const METRICS = { ...OWN, ...DEFAULT_METRICS };

export type MetricName = keyof typeof METRICS;
export type ServiceMetricName = {
  [N in keyof typeof OWN]: (typeof OWN)[N]['source'] extends 'service' ? N : never;
}[keyof typeof OWN];
