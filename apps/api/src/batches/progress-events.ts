import { setTimeout as sleep } from 'node:timers/promises';
import { type Batch } from '@donorlens/batches';
import { batchWire, FINAL_STATES } from './batch-wire';

const EVERY_MS = 1_000;
/** A reader that is still there may simply connect again; one that is not holds nothing for ever. */
const AT_MOST_MS = 15 * 60_000;

/**
 * Server-sent events: the batch each second, and a last one when it has ended.
 * @param stop aborted when this process closes; the reader connects again, to another one
 */
export async function* progressEvents(read: () => Promise<Batch | null>, stop: AbortSignal): AsyncGenerator<string> {
  const until = Date.now() + AT_MOST_MS;
  while (Date.now() < until && !stop.aborted) {
    const batch = await read();
    if (batch === null) {
      yield 'event: deleted\ndata: {}\n\n';
      return;
    }
    const ended = FINAL_STATES.has(batch.state);
    yield `event: ${ended ? 'end' : 'progress'}\ndata: ${JSON.stringify(batchWire(batch, new Date()))}\n\n`;
    if (ended) return;
    await sleep(EVERY_MS, undefined, { signal: stop }).catch(() => undefined);
  }
}
