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
  jobId,
} from './queues';
export { QueueAwayError, within } from './deadline';
export { type JobCounts } from './job-producer';
export { type QueueProducers, openProducers } from './open-producers';
export { CallProducer } from './call-producer';
export { CallQueueModule } from './call-queue.module';
export { QueueProducer } from './queue-producer';
export { QueuesModule } from './queues.module';
export { migrateQueue } from './migrate-queue';
