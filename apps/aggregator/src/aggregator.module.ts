import { type DynamicModule, Module } from '@nestjs/common';
import { type Pool } from 'pg';
import { BatchesModule } from '@donorlens/batches';
import { CONFIG, type Config, ConfigModule } from '@donorlens/config';
import { SourceFileRepository } from '@donorlens/downloads';
import { DatabaseModule, LeaseRepository, PG_POOL, RetentionClock } from '@donorlens/database';
import { CallRepository } from '@donorlens/geocoding';
import { LOGGER, type Logger, ObservabilityModule } from '@donorlens/observability';
import { HeartbeatsModule, OperationsModule } from '@donorlens/operations';
import { CallQueueModule, QueuesModule } from '@donorlens/queues';
import { ReleaseRepository } from '@donorlens/reference-data';
import { LocationsModule } from '@donorlens/locations';
import { WebhooksModule } from '@donorlens/webhooks';
import { CampaignData } from './campaign-data';
import { JobRunRepository } from './scheduling/job-run.repository';
import { JobRunner } from './scheduling/job-runner';
import { type LeaderTask, LeaderTaskRunner } from './scheduling/leader-task-runner';
import { Leadership } from './scheduling/leadership';
import { OperatorRequestRunner } from './scheduling/operator-request-runner';
import { GeocodingTask } from './tasks/geocoding.task';
import { ImportTask } from './tasks/import.task';
import { OperatorRequestTask, QueuePauseTask, QueueSampleTask } from './tasks/operator-request.task';
import { ReconcilerTask } from './tasks/reconciler.task';
import { RefreshTask } from './tasks/refresh.task';
import { RetentionTask, WebhookTask } from './tasks/batch-end.tasks';

const LEADER_TASKS = [
  ReconcilerTask,
  GeocodingTask,
  RetentionTask,
  WebhookTask,
  OperatorRequestTask,
  QueuePauseTask,
  QueueSampleTask,
  RefreshTask,
  ImportTask,
];

@Module({})
export class AggregatorModule {
  static forRoot(config: Config, logger: Logger): DynamicModule {
    return {
      module: AggregatorModule,
      imports: [
        ConfigModule.forRoot(config),
        ObservabilityModule.forRoot(logger),
        DatabaseModule.forRoot(config, { name: 'donorlens aggregator', max: 6 }),
        QueuesModule,
        CallQueueModule,
        LocationsModule,
        WebhooksModule,
        HeartbeatsModule,
        OperationsModule,
        BatchesModule.forRoot({ chunkRows: config.chunkRows, ttlHours: config.batchTtlHours }),
      ],
      providers: [
        ...LEADER_TASKS,
        CampaignData,
        JobRunRepository,
        JobRunner,
        Leadership,
        LeaseRepository,
        RetentionClock,
        OperatorRequestRunner,
        {
          provide: LeaderTaskRunner,
          useFactory: (leadership: Leadership, logger: Logger, ...tasks: LeaderTask[]) =>
            new LeaderTaskRunner(leadership, tasks, logger),
          inject: [Leadership, LOGGER, ...LEADER_TASKS],
        },
        // Not the whole GeocodingModule: only workers call the geocoder.
        {
          provide: CallRepository,
          useFactory: (pool: Pool, { geocoder }: Config) => new CallRepository(pool, geocoder),
          inject: [PG_POOL, CONFIG],
        },
        // Not the whole ReferenceDataModule: the aggregator answers no lookups, so it holds no release in memory.
        ReleaseRepository,
        {
          provide: SourceFileRepository,
          useFactory: (pool: Pool) => new SourceFileRepository(pool),
          inject: [PG_POOL],
        },
      ],
    };
  }
}
