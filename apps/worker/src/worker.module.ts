import { type DynamicModule, Module } from '@nestjs/common';
import { BatchesModule } from '@donorlens/batches';
import { ContributionStore } from '@donorlens/campaign-finance';
import { type Config, ConfigModule } from '@donorlens/config';
import { DatabaseModule } from '@donorlens/database';
import { GeocodingModule } from '@donorlens/geocoding';
import { LocationsModule } from '@donorlens/locations';
import { type Logger, ObservabilityModule } from '@donorlens/observability';
import { HeartbeatsModule } from '@donorlens/operations';
import { CallQueueModule, QueuesModule } from '@donorlens/queues';
import { ReferenceDataModule } from '@donorlens/reference-data';
import { CONSUMED, queueNames } from './consumed';
import { Consumers } from './consumers';
import { JobRecorder } from './job-recorder';

@Module({})
export class WorkerModule {
  static forRoot(config: Config, logger: Logger): DynamicModule {
    const consumed = queueNames(config.workerQueues).map((name) => CONSUMED[name]);
    const connections = config.workerConcurrency + config.geocoder.callsAtOnce + 3;
    return {
      module: WorkerModule,
      imports: [
        ConfigModule.forRoot(config),
        ObservabilityModule.forRoot(logger),
        DatabaseModule.forRoot(config, { name: 'donorlens worker', max: connections }),
        ReferenceDataModule,
        HeartbeatsModule,
        QueuesModule,
        CallQueueModule,
        LocationsModule,
        GeocodingModule,
        BatchesModule.forRoot({ chunkRows: config.chunkRows, ttlHours: config.batchTtlHours }),
      ],
      providers: [
        ...consumed.flatMap(({ processor, providers }) => [processor, ...providers]),
        ContributionStore,
        Consumers,
        JobRecorder,
      ],
    };
  }
}
