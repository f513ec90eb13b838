import { BullModule } from '@nestjs/bullmq';
import { Module } from '@nestjs/common';
import { CallProducer } from './call-producer';
import { QUEUES } from './queues';
import { QueuesModule } from './queues.module';

/** The queue of calls to the geocoder, on the server and with the options of the other. */
@Module({
  imports: [QueuesModule, BullModule.registerQueue({ name: QUEUES.geocode })],
  providers: [CallProducer],
  exports: [BullModule, CallProducer],
})
export class CallQueueModule {}
