import { Module } from '@nestjs/common';
import { type Pool } from 'pg';
import { CONFIG, type Config } from '@donorlens/config';
import { PG_POOL } from '@donorlens/database';
import { LOGGER, type Logger } from '@donorlens/observability';
import { CallProducer, CallQueueModule, ChunkProducer, QueuesModule } from '@donorlens/queues';
import { HeartbeatsModule, ProcessHeartbeat } from './heartbeats/process-heartbeat';
import { QueuePauses } from './requests/queue-pauses.repository';
import { OperatorRequests } from './requests/operator-requests.repository';
import { OperationsWatch } from './status/operations-watch';
import { OperationsReader } from './status/operations.reader';

@Module({
  imports: [HeartbeatsModule, QueuesModule, CallQueueModule],
  providers: [
    OperatorRequests,
    QueuePauses,
    {
      provide: OperationsReader,
      useFactory: (
        pool: Pool,
        config: Config,
        enrich: ChunkProducer,
        geocode: CallProducer,
        heartbeat: ProcessHeartbeat,
      ) => new OperationsReader(pool, config, { enrich, geocode }, heartbeat),
      inject: [PG_POOL, CONFIG, ChunkProducer, CallProducer, ProcessHeartbeat],
    },
    {
      provide: OperationsWatch,
      useFactory: (reader: OperationsReader, logger: Logger) => new OperationsWatch(reader, logger),
      inject: [OperationsReader, LOGGER],
    },
  ],
  exports: [OperatorRequests, QueuePauses, OperationsWatch],
})
export class OperationsModule {}
