import { BullModule } from '@nestjs/bullmq';
import { Module } from '@nestjs/common';
import { type QueueOptions } from 'bullmq';
import { CONFIG, type Config } from '@donorlens/config';
import { LOGGER, type Logger } from '@donorlens/observability';
import { ForceCloseableQueue, ForceCloseableWorker } from './bounded-queue';
import { queueOptions } from './connections';
import { CallProducer, ChunkProducer } from './producers';
import { QUEUES } from './queues';
import { checkRedis } from './redis-check';

BullModule.queueClass = ForceCloseableQueue;
BullModule.workerClass = ForceCloseableWorker;

/**
 * The process's connection to the queue's server, and the queue of chunks. A worker registers its processors itself,
 * after its first attempt to load its reference data.
 */
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
  providers: [ChunkProducer],
  exports: [BullModule, ChunkProducer],
})
export class QueuesModule {}

/** The queue of calls to the geocoder, on the same server. */
@Module({
  imports: [QueuesModule, BullModule.registerQueue({ name: QUEUES.geocode })],
  providers: [CallProducer],
  exports: [BullModule, CallProducer],
})
export class CallQueueModule {}

/**
 * Makes each job's span part of the trace that added it: the request that sent the batch if its chunks fit into the
 * queue at once, else the aggregator's. Nothing is loaded without an OTLP endpoint.
 */
async function jobTelemetry(config: Pick<Config, 'otlpEndpoint'>): Promise<Pick<QueueOptions, 'telemetry'>> {
  if (config.otlpEndpoint === undefined) return {};
  const { BullMQOtel } = await import('bullmq-otel');
  return { telemetry: new BullMQOtel({ tracerName: 'donorlens' }) };
}
