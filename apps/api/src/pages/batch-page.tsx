import { type z } from 'zod';
import { type batchSchema, FINAL_STATES } from '../batches/batch-wire';
import { Layout, renderPage } from './layout';
import { count } from './words';

type BatchWire = z.infer<typeof batchSchema>;

const OUTCOME_WORDS = {
  ok: 'Answered',
  partial: 'Address not found',
  not_found: 'Name not known',
  invalid: 'Not readable',
  failed: 'Failed',
} as const;

/** How far a batch is, for a person: reloads itself until the batch has ended. */
export function renderBatchPage(batch: BatchWire, apiKey: string | undefined): string {
  const ended = FINAL_STATES.has(batch.state);
  const key = apiKey === undefined ? '' : `&apiKey=${encodeURIComponent(apiKey)}`;
  const counts: Readonly<Record<string, number>> = batch.counts;
  return renderPage(
    <Layout title={`Batch ${batch.state}`} refreshSeconds={ended ? undefined : 2}>
      <p class="eyebrow">Batch of type {batch.type}</p>
      <h1>
        {count(batch.counts.done)} of {count(batch.counts.total)} rows, {batch.state}
      </h1>
      <p>
        <progress max={1} value={batch.progress} aria-label="Share of the rows that are done" />
      </p>
      <p class="quiet">
        {batch.rows_per_second !== null && `${count(batch.rows_per_second)} rows a second. `}
        {!ended && batch.eta_seconds !== null && `About ${count(batch.eta_seconds)} seconds left. `}
        {batch.expires_at !== null && `The rows are kept until ${batch.expires_at.slice(0, 16).replace('T', ' ')} UTC.`}
      </p>
      <dl class="numbers">
        {Object.entries(OUTCOME_WORDS).map(([outcome, words]) => (
          <div>
            <dt>{words}</dt>
            <dd>{count(counts[outcome])}</dd>
          </div>
        ))}
      </dl>
      {batch.state !== 'expired' && (
        <p class="files">
          {ended ? 'Results' : 'Results so far'} as{' '}
          {['csv', 'ndjson', 'json'].map((format, at) => (
            <>
              {at > 0 && ' · '}
              <a href={`${batch.links.results}?format=${format}${ended ? '' : '&partial=true'}${key}`}>
                {format.toUpperCase()}
              </a>
            </>
          ))}{' '}
          · <a href={`${batch.links.errors}?format=csv${ended ? '' : '&partial=true'}${key}`}>rows without an answer</a>
        </p>
      )}
      <p class="quiet">
        <code>{batch.id}</code>, data release <code>{batch.data_release}</code>
      </p>
    </Layout>,
  );
}
