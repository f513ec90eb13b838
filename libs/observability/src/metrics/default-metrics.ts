import { type MetricSpec } from './metric-spec';

const of = (type: MetricSpec['type'], help: string, labels: readonly string[] = []): MetricSpec => ({
  source: 'every process',
  type,
  labels,
  help,
});

/** Those of prom-client's default metrics that we keep, under their usual names: dashboards of others know these. */
export const DEFAULT_METRICS = {
  process_cpu_user_seconds_total: of('counter', 'CPU time spent in the program.'),
  process_cpu_system_seconds_total: of('counter', 'CPU time spent in the system for it.'),
  process_cpu_seconds_total: of('counter', 'Both together.'),
  process_start_time_seconds: of('gauge', 'When the process was started.'),
  process_resident_memory_bytes: of('gauge', 'Memory that the process takes.'),
  process_open_fds: of('gauge', 'Open files and sockets; Linux only.'),
  process_max_fds: of('gauge', 'How many it may open; Linux only.'),
  nodejs_eventloop_lag_seconds: of('gauge', 'Delay of the event loop at the moment of the scrape.'),
  nodejs_eventloop_lag_mean_seconds: of('gauge', 'Delay since the last scrape: mean.'),
  nodejs_eventloop_lag_p50_seconds: of('gauge', 'Delay since the last scrape: median.'),
  nodejs_eventloop_lag_p99_seconds: of('gauge', 'Delay since the last scrape: 99th percentile.'),
  nodejs_eventloop_lag_max_seconds: of('gauge', 'Delay since the last scrape: longest.'),
  nodejs_heap_size_total_bytes: of('gauge', 'Heap of the program.'),
  nodejs_heap_size_used_bytes: of('gauge', 'Of it in use.'),
  nodejs_external_memory_bytes: of('gauge', 'Buffers outside the heap.'),
  nodejs_version_info: of('gauge', 'Version of Node.js.', ['version', 'major', 'minor', 'patch']),
  nodejs_gc_duration_seconds: of('histogram', 'Garbage collections: major, minor, incremental or weakcb.', ['kind']),
};
