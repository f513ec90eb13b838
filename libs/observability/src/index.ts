export { type Logger, NestLogger, createLogger, redacted } from './logger';
export { LOGGER, ObservabilityModule } from './observability.module';
export { announceReady, endWithSupervisor } from './supervised';
export { endFailedStart, endOnUnexpected } from './process-end';
export {
  METRICS,
  type MetricName,
  type MetricSource,
  type MetricSpec,
  type ServiceMetricName,
} from './metrics/metric-table';
export {
  type JobOutcome,
  nameProcess,
  observeHttp,
  observeInWork,
  observeJob,
  processRegistry,
} from './metrics/process-metrics';
export { type Tracing, startTracing } from './tracing/tracing';
export { VERSION } from './version';
