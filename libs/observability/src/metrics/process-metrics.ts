import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from 'prom-client';
import { VERSION } from '../version';
import { DEFAULT_METRICS, METRICS } from './metric-table';

/** A lookup takes half a millisecond, a bulk request seconds. */
const HTTP_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
/** A chunk takes some 50 ms, a call to the geocoder up to minutes. */
const JOB_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300];
/** How often the delay of the event loop is looked at. */
const LOOK_MS = 20;

export type JobOutcome = 'done' | 'nothing' | 'put_off' | 'failed';

let registry: Registry | undefined;
let http: Histogram<'method' | 'route' | 'status'> | undefined;
let jobs: Histogram<'queue' | 'outcome'> | undefined;
let wrongKeys: Counter<'outcome'> | undefined;

/** Metrics of this process; one registry, created on first use. */
export function processRegistry(): Registry {
  registry ??= withDefaults();
  return registry;
}

/** Names the process in its metrics. */
export function nameProcess(role: string): void {
  const name = 'donorlens_build_info';
  const { help, labels } = METRICS[name];
  const known = processRegistry().getSingleMetric(name);
  const gauge = known ?? new Gauge({ name, help, labelNames: labels, registers: [processRegistry()] });
  if (gauge instanceof Gauge) gauge.set({ role, version: VERSION }, 1);
}

/** @param route - the template, never a URL, which may contain a name or key; null if there is no such route */
export function observeHttp(method: string, route: string | null, status: number, seconds: number): void {
  http ??= histogram('donorlens_http_request_duration_seconds', HTTP_SECONDS);
  http.observe(
    { method: methodName(method), route: route ?? 'none', status: `${Math.floor(status / 100)}xx` },
    seconds,
  );
}

export function observeJob(queue: string, outcome: JobOutcome, seconds: number): void {
  jobs ??= histogram('donorlens_job_duration_seconds', JOB_SECONDS);
  jobs.observe({ queue, outcome }, seconds);
}

/** @param count - 0 exposes the counter before the first wrong key, so that an alert sees the first increase */
export function observeWrongKey(outcome: 'checked' | 'blocked', count = 1): void {
  const name = 'donorlens_wrong_keys_total';
  const { help, labels } = METRICS[name];
  wrongKeys ??= new Counter({ name, help, labelNames: labels, registers: [processRegistry()] });
  wrongKeys.inc({ outcome }, count);
}

/** Reads the number of active jobs at each scrape. */
export function observeInWork(inWork: () => Readonly<Record<string, number>>): void {
  const name = 'donorlens_jobs_in_work';
  processRegistry().removeSingleMetric(name);
  const { help, labels } = METRICS[name];
  new Gauge({
    name,
    help,
    labelNames: labels,
    registers: [processRegistry()],
    collect() {
      for (const [queue, jobs] of Object.entries(inWork())) this.set({ queue }, jobs);
    },
  });
}

function histogram<N extends 'donorlens_http_request_duration_seconds' | 'donorlens_job_duration_seconds'>(
  name: N,
  buckets: number[],
): Histogram<(typeof METRICS)[N]['labels'][number]> {
  const { help, labels } = METRICS[name];
  return new Histogram({ name, help, labelNames: labels, buckets, registers: [processRegistry()] });
}

function withDefaults(): Registry {
  const all = new Registry();
  collectDefaultMetrics({ register: all, eventLoopMonitoringPrecision: LOOK_MS });
  const kept = new Registry();
  for (const name of Object.keys(DEFAULT_METRICS)) {
    const metric = all.getSingleMetric(name); // some exist on Linux only
    if (metric) kept.registerMetric(metric);
  }
  return kept;
}

const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** A client may send any word as a method; as a label each would be a series for good. */
const methodName = (method: string): string => (METHODS.has(method) ? method : 'other');
