import { setTimeout as sleep } from 'node:timers/promises';
import { type BeforeApplicationShutdown, Injectable } from '@nestjs/common';
import { type Batch, BatchRepository } from '@donorlens/batches';
import { type FastifyReply } from 'fastify';
import { FINAL_STATES } from './batch-wire';

const EVERY_MS = 200;
/** Looks a second of all requests together: where many wait, each looks less often. */
const MOST_LOOKS = 100;

/** Also of one that has completed without some of its addresses: they are still filled in. */
const isComing = ({ state, addresses }: Batch): boolean =>
  !FINAL_STATES.has(state) || (state === 'completed' && addresses.pending > 0);

/** Requests that wait for their batch. The batch goes on whatever becomes of them. */
@Injectable()
export class BatchWait implements BeforeApplicationShutdown {
  private readonly waiting = new Set<AbortController>();
  private closing = false;

  constructor(private readonly batches: BatchRepository) {}

  beforeApplicationShutdown(): void {
    this.closing = true;
    for (const one of this.waiting) one.abort();
  }

  /**
   * The batch when it has ended and no address is pending; the newest that was seen of it where it has not within the time, where the client goes
   * away and where this process closes; null where it was deleted meanwhile.
   */
  async ended(batch: Batch, seconds: number, reply: FastifyReply): Promise<Batch | null> {
    const stop = new AbortController();
    const abort = (): void => stop.abort();
    const timer = setTimeout(abort, 1000 * seconds);
    reply.raw.once('close', abort);
    this.waiting.add(stop);
    if (this.closing || reply.raw.destroyed) abort();
    try {
      return await this.look(batch, stop.signal);
    } finally {
      clearTimeout(timer);
      reply.raw.off('close', abort);
      this.waiting.delete(stop);
    }
  }

  private async look(batch: Batch, stop: AbortSignal): Promise<Batch | null> {
    let newest: Batch | null = batch;
    while (newest !== null && isComing(newest)) {
      const ms = Math.max(EVERY_MS, (1000 * this.waiting.size) / MOST_LOOKS);
      await sleep(ms, undefined, { signal: stop }).catch(() => undefined);
      if (stop.aborted) break;
      const seen: Batch = newest; // while the database is away, the batch is as it was
      newest = await this.batches.get(batch.apiKeyId, batch.id).catch(() => seen);
    }
    return newest;
  }
}
