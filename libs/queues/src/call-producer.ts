import { InjectQueue } from '@nestjs/bullmq';
import { Inject, Injectable } from '@nestjs/common';
import { type Queue } from 'bullmq';
import { LOGGER, type Logger } from '@donorlens/observability';
import { JobProducer } from './job-producer';
import { type CallRef, QUEUES } from './queues';

/** Adds calls to the geocoder. */
@Injectable()
export class CallProducer extends JobProducer<'geocode-call'> {
  constructor(@InjectQueue(QUEUES.geocode) queue: Queue<CallRef>, @Inject(LOGGER) logger: Logger) {
    super('geocode-call', queue, logger);
  }
}
