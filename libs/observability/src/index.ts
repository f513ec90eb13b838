export { type LogContext } from './log-context';
export { type Logger, NestLogger, createLogger, gatheredOutput, redacted } from './logger';
export { LOGGER, ObservabilityModule } from './observability.module';
export { announceReady, endWithSupervisor } from './supervised';
export { endFailedStart, endInTime, endOnUnexpected } from './process-end';
export { endWhenStuck } from './stuck-loop';
export { METRICS, type MetricName, type ServiceMetricName } from './metrics/metric-table';
export { type MetricSource, type MetricSpec } from './metrics/metric-spec';
export {
  type JobOutcome,
  nameProcess,
  observeHttp,
  observeInWork,
  observeJob,
  processRegistry,
} from './metrics/process-metrics';
export { type RequestSpan, endRequestSpan, startRequestSpan, withJobContext, withinRequest } from './tracing/spans';
export { type MetricsServer, type MetricsServerOptions, startMetricsServer } from './metrics/metrics-server';
export { endTracing, startTracing } from './tracing/tracing';
export { VERSION } from './version';
