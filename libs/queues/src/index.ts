export { EvictingRedisError, OldRedisError, checkRedis } from './redis-check';
export { ErrorLog } from './error-log';
export { type ChunkRef, type JobData, type JobName, QUEUES, type QueueName, WORKER_OPTIONS, jobId } from './queues';
export { QueueAwayError, within } from './deadline';
export { QueueProducer } from './queue-producer';
export { QueuesModule } from './queues.module';
export { migrateQueue } from './migrate-queue';
