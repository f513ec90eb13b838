import { Module } from '@nestjs/common';
import { type Pool } from 'pg';
import { CONFIG, type Config } from '@donorlens/config';
import { PG_POOL } from '@donorlens/database';
import { LOGGER, type Logger } from '@donorlens/observability';
import { CallProducer, CallQueueModule, QueueProducer, QueuesModule } from '@donorlens/queues';
import { BeatsModule } from './beats/beats.module';
import { ProcessBeat } from './beats/process-beat';
import { QueuePauses } from './pausing/queue-pauses';
import { OpsRequests } from './requests/ops-requests';
import { OperationsWatch } from './status/operations-watch';
import { OperationsReader } from './status/operations.reader';

@Module({
  imports: [BeatsModule, QueuesModule, CallQueueModule],
  providers: [
    OpsRequests,
    QueuePauses,
    {
      provide: OperationsReader,
      useFactory: (pool: Pool, config: Config, enrich: QueueProducer, geocode: CallProducer, beat: ProcessBeat) =>
        new OperationsReader(pool, config, { enrich, geocode }, beat),
      inject: [PG_POOL, CONFIG, QueueProducer, CallProducer, ProcessBeat],
    },
    {
      provide: OperationsWatch,
      useFactory: (reader: OperationsReader, logger: Logger) => new OperationsWatch(reader, logger),
      inject: [OperationsReader, LOGGER],
    },
  ],
  exports: [OpsRequests, QueuePauses, OperationsWatch],
})
export class OperationsModule {}
