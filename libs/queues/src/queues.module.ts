import { BullModule } from '@nestjs/bullmq';
import { Module } from '@nestjs/common';
import { CONFIG, type Config } from '@donorlens/config';
import { LOGGER, type Logger } from '@donorlens/observability';
import { BoundedQueue, BoundedWorker } from './bounded';
import { queueOptions } from './connections';
import { QueueProducer } from './queue-producer';
import { QUEUES } from './queues';
import { checkRedis } from './redis-check';
import { jobTelemetry } from './telemetry';

BullModule.queueClass = BoundedQueue;
BullModule.workerClass = BoundedWorker;

/** The queue's server for this process, and the queue of chunks. A worker registers its processors itself, when its reference data is there. */
@Module({
  imports: [
    BullModule.forRootAsync({
      inject: [CONFIG, LOGGER],
      useFactory: async (config: Config, logger: Logger) => {
        const options = queueOptions(config);
        if (config.queueBackend === 'redis' && config.redisUrl && !(await checkRedis(config.redisUrl)))
          logger.warn('Redis does not answer; batches are accepted and wait for it');
        return { ...options, ...(await jobTelemetry(config)) };
      },
      extraOptions: { manualRegistration: true },
    }),
    BullModule.registerQueue({ name: QUEUES.enrich }),
  ],
  providers: [QueueProducer],
  exports: [BullModule, QueueProducer],
})
export class QueuesModule {}
