export { EvictingRedisError, OldRedisError, checkRedis } from './redis-check';
export { ErrorLog } from './error-log';
export {
  type CallRef,
  type ChunkRef,
  type JobData,
  type JobName,
  QUEUES,
  type QueueName,
  WORKER_OPTIONS,
} from './queues';
export { QueueAwayError } from './queue-away-error';
export {
  CallProducer,
  type JobCounts,
  type JobList,
  type QueuedJob,
  ChunkProducer,
  type QueueProducers,
  openProducers,
} from './producers';
export { CallQueueModule, QueuesModule } from './queues.module';
export { migrateQueue, openRedis, QUEUE_SCHEMA } from './connections';
