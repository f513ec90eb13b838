import { type DynamicModule, Module } from '@nestjs/common';
import { type Pool } from 'pg';
import { BatchesModule } from '@donorlens/batches';
import { CONFIG, type Config, ConfigModule } from '@donorlens/config';
import { SourceFileRepository } from '@donorlens/downloads';
import { DatabaseModule, LeaseRepository, PG_POOL } from '@donorlens/database';
import { CallRepository } from '@donorlens/geocoding';
import { LOGGER, type Logger, ObservabilityModule } from '@donorlens/observability';
import { BeatsModule, OperationsModule } from '@donorlens/operations';
import { CallQueueModule, QueuesModule } from '@donorlens/queues';
import { ReleaseRepository } from '@donorlens/reference-data';
import { LocationsModule } from '@donorlens/locations';
import { WebhooksModule } from '@donorlens/webhooks';
import { Asked } from './asked';
import { AskedWork } from './asked-work';
import { CampaignData } from './campaign-data';
import { Duties, type Duty } from './duties';
import { Expiring } from './expiring';
import { Importing } from './importing';
import { Locating } from './locating';
import { Notifying } from './notifying';
import { Pausing } from './pausing';
import { Reconciling } from './reconciling';
import { Refreshing } from './refreshing';
import { JobRunRepository } from './scheduling/job-run.repository';
import { Leadership } from './scheduling/leadership';
import { Upkeep } from './upkeep';

@Module({})
export class AggregatorModule {
  static with(config: Config, logger: Logger): DynamicModule {
    return {
      module: AggregatorModule,
      imports: [
        ConfigModule.with(config),
        ObservabilityModule.with(logger),
        DatabaseModule.with(config, { name: 'donorlens aggregator', max: 6 }),
        QueuesModule,
        CallQueueModule,
        LocationsModule,
        WebhooksModule,
        BeatsModule,
        OperationsModule,
        BatchesModule.with({ chunkRows: config.chunkRows, ttlHours: config.batchTtlHours }),
      ],
      providers: [
        Asked,
        AskedWork,
        CampaignData,
        Expiring,
        Importing,
        JobRunRepository,
        Leadership,
        LeaseRepository,
        Locating,
        Notifying,
        Pausing,
        Reconciling,
        Refreshing,
        Upkeep,
        {
          provide: Duties,
          useFactory: (leadership: Leadership, logger: Logger, ...duties: Duty[]) =>
            new Duties(leadership, duties, logger),
          inject: [Leadership, LOGGER, Reconciling, Locating, Expiring, Notifying, Asked, Pausing, Upkeep],
        },
        // Not the whole GeocodingModule: the geocoder is the workers'.
        {
          provide: CallRepository,
          useFactory: (pool: Pool, { geocoder }: Config) => new CallRepository(pool, geocoder),
          inject: [PG_POOL, CONFIG],
        },
        // Not the whole ReferenceDataModule: nothing here answers from a release, so none is held in memory.
        { provide: ReleaseRepository, useFactory: (pool: Pool) => new ReleaseRepository(pool), inject: [PG_POOL] },
        {
          provide: SourceFileRepository,
          useFactory: (pool: Pool) => new SourceFileRepository(pool),
          inject: [PG_POOL],
        },
      ],
    };
  }
}
