import { type VNode } from 'preact';
import { type BatchWire, FINAL_STATES } from '../batches/batch-wire';
import { BatchAddresses, WaitingAddresses } from './batch-addresses';
import { Layout, renderPage } from './layout';
import { SampleNotice } from './sample-notice';
import { count, duration } from './words';

const OUTCOME_WORDS = {
  ok: 'Answered',
  partial: 'Answered in part',
  not_found: 'Name not known',
  invalid: 'Not readable',
  failed: 'Failed',
} as const;

/** How far a batch is, for a person: reloads itself until the batch has ended. */
export function renderBatchPage(batch: BatchWire, apiKey: string | undefined): string {
  const ended = FINAL_STATES.has(batch.state);
  return renderPage(
    <Layout title={`Batch ${batch.state}`} refreshSeconds={ended ? undefined : 2}>
      <p class="eyebrow">Batch of type {batch.type}</p>
      <h1>
        {count((batch.stages.geocoded ?? batch.stages.enriched).done)} of {count(batch.counts.total)} rows,{' '}
        {batch.state}
      </h1>
      {batch.data_release.startsWith('sample.') && <SampleNotice />}
      <Stages batch={batch} />
      <WaitingAddresses batch={batch} />
      {batch.state !== 'expired' && <Files batch={batch} ended={ended} apiKey={apiKey} />}
      <p class="quiet">
        {batch.rows_per_second !== null && `${count(batch.rows_per_second)} rows a second. `}
        {!ended && batch.eta_seconds !== null && `About ${duration(batch.eta_seconds)} left. `}
        {batch.expires_at !== null && `The rows are kept until ${batch.expires_at.slice(0, 16).replace('T', ' ')} UTC.`}
      </p>
      <Outcomes batch={batch} />
      <BatchAddresses batch={batch} />
      <p class="quiet">
        <code>{batch.id}</code>, data release <code>{batch.data_release}</code>
      </p>
    </Layout>,
  );
}

const Outcomes = ({ batch: { counts, stages } }: { readonly batch: BatchWire }): VNode => (
  <section id="rows">
    <h2>Rows</h2>
    <dl class="numbers tally">
      {Object.entries(OUTCOME_WORDS)
        .filter(([outcome]) => outcome !== 'partial' || stages.geocoded !== null)
        .map(([outcome, words]) => (
          <div>
            <dt>{words}</dt>
            <dd>{count((counts as Readonly<Record<string, number>>)[outcome])}</dd>
          </div>
        ))}
    </dl>
  </section>
);

const Stages = ({ batch: { stages } }: { readonly batch: BatchWire }): VNode => (
  <div class="stages">
    <Stage words="Names: age, gender, ethnicity" {...stages.enriched} />
    {stages.geocoded !== null && <Stage words="Addresses: county, tract, income" {...stages.geocoded} />}
  </div>
);

interface StageProps {
  readonly words: string;
  readonly done: number;
  readonly total: number;
}

const Stage = ({ words, done, total }: StageProps): VNode => (
  <label class="stage">
    <span>{words}</span>
    <span class="share">{total === 0 ? '100 %' : `${Math.floor((100 * done) / total)} %`}</span>
    <progress max={Math.max(1, total)} value={total === 0 ? 1 : done} />
  </label>
);

interface FilesProps {
  readonly batch: BatchWire;
  readonly ended: boolean;
  readonly apiKey: string | undefined;
}

function Files({ batch: { links }, ended, apiKey }: FilesProps): VNode {
  const query = `${ended ? '' : '&partial=true'}${apiKey === undefined ? '' : `&apiKey=${encodeURIComponent(apiKey)}`}`;
  return (
    <p class="files">
      {ended ? 'Results' : 'Results so far'} as{' '}
      {['csv', 'ndjson', 'json'].map((format, at) => (
        <>
          {at > 0 && ' · '}
          <a href={`${links.results}?format=${format}${query}`}>{format.toUpperCase()}</a>
        </>
      ))}{' '}
      · <a href={`${links.errors}?format=csv${query}`}>rows without an answer</a>
    </p>
  );
}
