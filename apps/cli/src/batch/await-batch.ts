import { setTimeout as sleep } from 'node:timers/promises';
import { counted } from '@donorlens/primitives';
import { type BatchView, isFinal, lateRows, readBatch } from './batch-view';
import { type Progress } from './progress';
import { batchLine, waitLine, withLines } from './progress-text';
import { type RetryOptions, withPatience } from './retry';
import { type ServiceClient } from './service-client';

/** Asks often while a batch is young, so that a small one is not kept waiting, then less. */
const FIRST_MS = 100;
const MOST_MS = 2_000;

export const batchPath = (id: string): string => `/enrich/v1/batches/${encodeURIComponent(id)}`;

export const fetchBatch = async (client: ServiceClient, id: string, options: RetryOptions): Promise<BatchView> =>
  readBatch(await withPatience(() => client.json(batchPath(id), { signal: options.signal }), options));

interface AwaitOptions extends RetryOptions {
  /** Also for addresses that a batch has completed without. */
  readonly lateToo?: boolean;
}

/** Resolves when the batch has ended, however often the service goes away meanwhile. */
export async function awaitBatch(
  client: ServiceClient,
  id: string,
  progress: Progress,
  options: AwaitOptions,
): Promise<BatchView> {
  const said = new Set<string>();
  try {
    for (let pauseMs = FIRST_MS; ; pauseMs = Math.min(pauseMs * 1.3, MOST_MS)) {
      const batch = await fetchBatch(client, id, options);
      const { done, total } = stepsOf(batch);
      progress.update(done, total, batchLine(batch));
      if (isFinal(batch) && !(options.lateToo && lateRows(batch) > 0)) return batch;
      sayWhyItWaits(batch, said, progress);
      await sleep(pauseMs, undefined, { signal: options.signal });
    }
  } finally {
    progress.end();
  }
}

/** Over both stages, where there are two. */
function stepsOf({ counts, stages }: BatchView): { done: number; total: number } {
  const located = stages?.geocoded;
  return located
    ? { done: counts.done + located.done, total: counts.total + located.total }
    : { done: counts.done, total: counts.total };
}

/** Once for each kind of reason. While rows are still being enriched, nobody waits for addresses. */
function sayWhyItWaits(batch: BatchView, said: Set<string>, progress: Progress): void {
  const isForAddresses = (batch.addresses?.pending ?? 0) > 0;
  const isEnriched = batch.counts.done === batch.counts.total;
  const line = isEnriched || !isForAddresses ? (lateText(batch) ?? waitText(batch)) : null;
  const kind = `${batch.state} ${kindOf(batch.waits_for ?? '')}`;
  if (line === null || said.has(kind)) return;
  said.add(kind);
  progress.say(line);
}

function waitText(batch: BatchView): string | null {
  const line = waitLine(batch);
  return line && `${line} (Ctrl-C keeps the batch)`;
}

function lateText(batch: BatchView): string | null {
  const late = lateRows(batch);
  if (late === 0) return null;
  const head = `completed, but for the addresses of ${counted(late, 'row')}`;
  return withLines(head, batch.waits_for, 'waiting until all have come, Ctrl-C ends it');
}

/** Numbers and times in it change while the reason stays. */
const kindOf = (reason: string): string =>
  reason
    .replace(/\d[\d.,:]*/g, '')
    .replace('addresses', 'address')
    .replace(/[(;,:].*/s, '');
