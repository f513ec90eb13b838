import { setTimeout as sleep } from 'node:timers/promises';
import { type Batch } from '@donorlens/batches';
import { type BatchWire, FINAL_STATES } from './batch-wire';

const EVERY_MS = 1_000;
/** A reader that is still there may simply connect again; one that is not holds nothing for ever. */
const AT_MOST_MS = 15 * 60_000;

/**
 * Server-sent events: the batch each second, and a last one when it has ended.
 * @param write the batch as clients see it
 * @param stop aborted when this process closes; the reader connects again, to another one
 */
export async function* progressEvents(
  read: () => Promise<Batch | null>,
  write: (batch: Batch) => Promise<BatchWire>,
  stop: AbortSignal,
): AsyncGenerator<string> {
  const until = Date.now() + AT_MOST_MS;
  while (Date.now() < until && !stop.aborted) {
    const batch = await read();
    if (batch === null) {
      yield 'event: deleted\ndata: {}\n\n';
      return;
    }
    const ended = FINAL_STATES.has(batch.state);
    yield `event: ${ended ? 'end' : 'progress'}\ndata: ${JSON.stringify(await write(batch))}\n\n`;
    if (ended) return;
    await sleep(EVERY_MS, undefined, { signal: stop }).catch(() => undefined);
  }
}
