import { InjectQueue } from '@nestjs/bullmq';
import { Inject, Injectable } from '@nestjs/common';
import { type Queue } from 'bullmq';
import { LOGGER, type Logger } from '@donorlens/observability';
import { JobProducer } from './job-producer';
import { type ChunkRef, QUEUES } from './queues';

/** Adds chunks to be enriched. */
@Injectable()
export class QueueProducer extends JobProducer<'enrich-chunk'> {
  private hinting = false;

  constructor(@InjectQueue(QUEUES.enrich) queue: Queue<ChunkRef>, @Inject(LOGGER) logger: Logger) {
    super('enrich-chunk', queue, logger);
  }

  /**
   * Best effort, for after a commit: returns at once and never throws. At most one window's worth, and only one call
   * at a time, so a queue that is away collects nothing here.
   */
  hint(refs: readonly ChunkRef[]): void {
    if (this.hinting) return;
    this.hinting = true;
    void this.room()
      .then((room) => this.enqueue(refs.slice(0, room)))
      .catch(this.errors.report)
      .finally(() => (this.hinting = false));
  }
}
