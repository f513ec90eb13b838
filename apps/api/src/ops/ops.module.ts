import { Module } from '@nestjs/common';
import { OperationsModule } from '@donorlens/operations';
import { CallQueueModule, QueuesModule } from '@donorlens/queues';
import { OpsWatch } from './ops-watch';
import { OpsController } from './ops.controller';
import { QueueBoard } from './queue-board';

/** What operators see and ask for. */
@Module({
  imports: [OperationsModule, QueuesModule, CallQueueModule],
  controllers: [OpsController],
  providers: [OpsWatch, QueueBoard],
})
export class OpsModule {}
