import { type DynamicModule, Module } from '@nestjs/common';
import { BatchesModule } from '@donorlens/batches';
import { ContributionStore } from '@donorlens/campaign-finance';
import { type Config, ConfigModule } from '@donorlens/config';
import { DatabaseModule } from '@donorlens/database';
import { type Logger, ObservabilityModule } from '@donorlens/observability';
import { QueuesModule } from '@donorlens/queues';
import { ReferenceDataModule } from '@donorlens/reference-data';
import { Consumers } from './consumers';
import { EnrichChunkProcessor } from './enrich-chunk.processor';
import { checkQueueNames } from './queue-names';
import { SuspectRun } from './suspect-run';

@Module({})
export class WorkerModule {
  static with(config: Config, logger: Logger): DynamicModule {
    checkQueueNames(config.workerQueues);
    return {
      module: WorkerModule,
      imports: [
        ConfigModule.with(config),
        ObservabilityModule.with(logger),
        DatabaseModule.with(config, { name: 'donorlens worker', max: config.workerConcurrency + 2 }),
        ReferenceDataModule,
        QueuesModule,
        BatchesModule.with({ chunkRows: config.chunkRows, ttlHours: config.batchTtlHours }),
      ],
      providers: [EnrichChunkProcessor, SuspectRun, ContributionStore, Consumers],
    };
  }
}
