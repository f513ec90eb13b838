import { setTimeout as sleep } from 'node:timers/promises';
import { counted } from '@donorlens/primitives';
import { type BatchView, isFinal, lateRows, readBatch } from './batch-view';
import { type Progress, batchLine, waitLine, withLines } from './progress';
import { type RetryOptions, withRetries, type ServiceClient } from './service-client';

/** Poll interval. It is short at first, so that a small batch is reported without delay, and then grows. */
const FIRST_MS = 100;
const MAX_MS = 2_000;

export const batchPath = (id: string): string => `/enrich/v1/batches/${encodeURIComponent(id)}`;

export const fetchBatch = async (client: ServiceClient, id: string, options: RetryOptions): Promise<BatchView> =>
  readBatch(await withRetries(() => client.json(batchPath(id), { signal: options.signal }), options));

interface AwaitOptions extends RetryOptions {
  /** Whether to wait also for addresses that were pending when the batch completed. */
  readonly shouldAwaitAddresses?: boolean;
}

/** Polls until the batch has ended. Requests that fail during an outage of the service are retried. */
export async function awaitBatch(
  client: ServiceClient,
  id: string,
  progress: Progress,
  options: AwaitOptions,
): Promise<BatchView> {
  const reported = new Set<string>();
  try {
    for (let pauseMs = FIRST_MS; ; pauseMs = Math.min(pauseMs * 1.3, MAX_MS)) {
      const batch = await fetchBatch(client, id, options);
      const { done, total } = stepsOf(batch);
      progress.update(done, total, batchLine(batch));
      if (isFinal(batch) && !(options.shouldAwaitAddresses && lateRows(batch) > 0)) return batch;
      reportWaiting(batch, reported, progress);
      await sleep(pauseMs, undefined, { signal: options.signal });
    }
  } finally {
    progress.end();
  }
}

/** Progress over enrichment and, if the batch has this stage, geocoding. */
function stepsOf({ counts, stages }: BatchView): { done: number; total: number } {
  const geocoded = stages?.geocoded;
  return geocoded
    ? { done: counts.done + geocoded.done, total: counts.total + geocoded.total }
    : { done: counts.done, total: counts.total };
}

/** Prints each kind of reason once. While rows are being enriched, pending addresses are not reported. */
function reportWaiting(batch: BatchView, reported: Set<string>, progress: Progress): void {
  const isForAddresses = (batch.addresses?.pending ?? 0) > 0;
  const isEnriched = batch.counts.done === batch.counts.total;
  const line = isEnriched || !isForAddresses ? (lateText(batch) ?? waitText(batch)) : null;
  const kind = `${batch.state} ${kindOf(batch.waits_for ?? '')}`;
  if (line === null || reported.has(kind)) return;
  reported.add(kind);
  progress.printLine(line);
}

function waitText(batch: BatchView): string | null {
  const line = waitLine(batch);
  return line && `${line} (Ctrl-C leaves the batch running)`;
}

function lateText(batch: BatchView): string | null {
  const late = lateRows(batch);
  if (late === 0) return null;
  const head = `completed, addresses of ${counted(late, 'row')} are pending`;
  return withLines(head, batch.waits_for, 'waiting until all are geocoded, Ctrl-C stops waiting');
}

/** Removes numbers and times, which change while the reason stays the same. */
const kindOf = (reason: string): string =>
  reason
    .replace(/\d[\d.,:]*/g, '')
    .replace('addresses', 'address')
    .replace(/[(;,:].*/s, '');
