export { type Logger, NestLogger, createLogger, redacted } from './logger';
export { LOGGER, ObservabilityModule } from './observability.module';
export { announceReady, endWithSupervisor } from './supervised';
export { endFailedStart, endOnUnexpected } from './process-end';
