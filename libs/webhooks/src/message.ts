import { type Batch } from '@donorlens/batches';
import { tallied } from '@donorlens/primitives';

/** What can be told of a batch: how it ended, and that the last address of one that completed without some has come. */
export type WebhookEvent = 'batch.completed' | 'batch.cancelled' | 'batch.failed' | 'batch.located';

/** Body of a message. Counts, states and where to look, as the batch is now; never a row. */
export function messageOf(event: WebhookEvent, batch: Batch): string {
  const { match, noMatch, tie, skipped, pending } = batch.addresses;
  const self = `/enrich/v1/batches/${batch.id}`;
  const at = event === 'batch.located' ? batch.locatedAt : batch.finishedAt;
  return JSON.stringify({
    type: event,
    timestamp: (at ?? batch.createdAt).toISOString(),
    data: {
      id: batch.id,
      type: batch.type,
      state: batch.state,
      counts: { total: batch.rowsTotal, done: tallied(batch.tally), ...batch.tally },
      addresses: { match, no_match: noMatch, tie, skipped, pending },
      data_release: batch.releaseId,
      error: batch.errorCode,
      created_at: batch.createdAt.toISOString(),
      finished_at: batch.finishedAt?.toISOString() ?? null,
      links: { self, results: `${self}/results`, errors: `${self}/errors` },
    },
  });
}
