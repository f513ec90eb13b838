export { type LogContext, type Logger, NestLogger, createLogger, bufferedOutput, redacted } from './logger';
export { LOGGER, ObservabilityModule } from './observability.module';
export {
  announceReady,
  endWithSupervisor,
  endFailedStart,
  exitAfterShutdownTimeout,
  endOnUnexpected,
  endWhenStuck,
  stoppableStart,
  waitUntilNeeded,
} from './process-lifecycle';
export {
  METRICS,
  type MetricName,
  type ServiceMetricName,
  type MetricSource,
  type MetricSpec,
} from './metrics/metric-table';
export {
  type JobOutcome,
  nameProcess,
  observeHttp,
  observeInWork,
  observeJob,
  observeWrongKey,
  processRegistry,
} from './metrics/process-metrics';
export {
  type RequestSpan,
  endRequestSpan,
  startRequestSpan,
  withJobContext,
  withinRequest,
  endTracing,
  startTracing,
} from './tracing';
export { type MetricsServer, type MetricsServerOptions, startMetricsServer } from './metrics/metrics-server';
export { VERSION } from './version';
