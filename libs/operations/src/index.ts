export { OperationsModule } from './operations.module';
export {
  type AuditEntry,
  auditStateLabel,
  flagText,
  propertyLabel,
  OPS_ACTIONS,
  type OpsAction,
  type OperatorRequest,
  type OpsState,
  type OpsTarget,
  SOURCE_KINDS,
  type SourceKind,
  type RequestQueue,
  OperatorRequestError,
} from './requests/operator-request';
export { OperatorRequests } from './requests/operator-requests.repository';
export {
  LEADER_LEASE,
  RUNS,
  fecSchedule,
  filingsSchedule,
  referenceSchedule,
  type Schedule,
  dailyAt,
  hourly,
  monthly,
  nextScheduledTime,
} from './schedules';
export { QueuePauses } from './requests/queue-pauses.repository';
export {
  type BatchesStatus,
  type BatchStatus,
  type OperationsStatus,
  type ProcessStatus,
  type QueueMinute,
  type QueueStatus,
  type SourceStatus,
} from './status/operations-status';
export { StaleCache } from './stale-cache';
export { OperationsWatch } from './status/operations-watch';
export { type CountedQueue, OperationsReader } from './status/operations.reader';
export {
  type ProcessRole,
  HeartbeatsModule,
  type HeartbeatHandle,
  DEAD_AFTER_SECONDS,
  ProcessHeartbeat,
} from './heartbeats/process-heartbeat';
export {
  type Alert,
  alertsFor,
  missingQueueServerMessage,
  formatUtcTime,
  overallStatus,
  queueState,
  secondsBetween,
  formatDuration,
} from './status/alerts';
export { type ScheduleConfig } from './status/sources.repository';
export { sampleQueues } from './status/queues.repository';
export { serverAddresses } from './status/server-address';
export { QUEUE_LABELS, pauserText } from './status/stall-reason';
export {
  type DatabaseIssue,
  databaseDownMessage,
  databaseSlowMessage,
  heartbeatsLateMessage,
} from './status/service-health';
export { WorkCounter } from './heartbeats/work-counter';
export { ServiceMetrics } from './service-metrics';
