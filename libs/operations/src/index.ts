export { OperationsModule } from './operations.module';
export {
  type AuditEntry,
  OPS_ACTIONS,
  type OpsAction,
  type OpsRequest,
  OpsRequestError,
  type OpsState,
  type OpsTarget,
} from './requests/ops-request';
export { OpsRequests } from './requests/ops-requests';
export {
  type BatchesStatus,
  type OpenBatch,
  type OperationsStatus,
  type ProcessStatus,
  type QueueStatus,
  type SourceKind,
  type SourceStatus,
} from './status/operations-status';
export { type JobCounts, OperationsReader } from './status/operations.reader';
export { type ProcessRole } from './status/process-role';
export { type QueueFacts, standstill } from './status/standstill';
export { BeatsModule } from './beats/beats.module';
export { type Beating, DEAD_AFTER_SECONDS, ProcessBeat } from './beats/process-beat';
export { WorkCounter } from './beats/work-counter';
export { ServiceMetrics } from './metrics/service-metrics';
