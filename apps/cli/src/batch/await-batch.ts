import { setTimeout as sleep } from 'node:timers/promises';
import { type BatchView, isFinal, readBatch } from './batch-view';
import { type Progress } from './progress';
import { batchLine } from './progress-text';
import { type RetryOptions, withPatience } from './retry';
import { type ServiceClient } from './service-client';

/** Asks often while a batch is young, so that a small one is not kept waiting, then less. */
const FIRST_MS = 100;
const MOST_MS = 2_000;

export const batchPath = (id: string): string => `/enrich/v1/batches/${encodeURIComponent(id)}`;

export const fetchBatch = async (client: ServiceClient, id: string, options: RetryOptions): Promise<BatchView> =>
  readBatch(await withPatience(() => client.json(batchPath(id), { signal: options.signal }), options));

/** Resolves when the batch has ended, however often the service goes away meanwhile. */
export async function awaitBatch(
  client: ServiceClient,
  id: string,
  progress: Progress,
  options: RetryOptions,
): Promise<BatchView> {
  try {
    for (let pauseMs = FIRST_MS; ; pauseMs = Math.min(pauseMs * 1.3, MOST_MS)) {
      const batch = await fetchBatch(client, id, options);
      progress.update(batch.counts.done, batch.counts.total, batchLine(batch));
      if (isFinal(batch)) return batch;
      await sleep(pauseMs, undefined, { signal: options.signal });
    }
  } finally {
    progress.end();
  }
}
