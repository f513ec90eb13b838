export { OperationsModule } from './operations.module';
export {
  type AuditEntry,
  OPS_ACTIONS,
  type OpsAction,
  type OpsRequest,
  type OpsState,
  type OpsTarget,
  REFRESHED,
  type SourceKind,
} from './requests/ops-request';
export { type Lane } from './requests/lanes';
export { OpsRequests } from './requests/ops-requests';
export { OpsRequestError } from './requests/ops-target';
export { LEADER_LEASE } from './leader';
export { QueuePauses } from './pausing/queue-pauses';
export { RUNS, fecSchedule, filingsSchedule, referenceSchedule } from './schedule/schedules';
export { type Schedule, dailyAt, hourly, monthly, nextTick } from './schedule/ticks';
export {
  type BatchesStatus,
  type OpenBatch,
  type OperationsStatus,
  type ProcessStatus,
  type QueueStatus,
  type SourceStatus,
} from './status/operations-status';
export { Kept } from './status/kept';
export { OperationsWatch } from './status/operations-watch';
export { type CountedQueue, OperationsReader } from './status/operations.reader';
export { type ProcessRole } from './status/process-role';
export { serverPlaces } from './status/server-place';
export { type QueueFacts, standstill } from './status/standstill';
export { type Trouble, databaseAway, databaseSlow, signsLate } from './status/trouble';
export { QUEUE_WORDS } from './status/words';
export { BeatsModule } from './beats/beats.module';
export { type Beating, DEAD_AFTER_SECONDS, ProcessBeat } from './beats/process-beat';
export { WorkCounter } from './beats/work-counter';
export { ServiceMetrics } from './metrics/service-metrics';
