import { type BatchSummary, isFinal } from '@donorlens/batches';
import { type VNode } from 'preact';
import { type BatchPageProps } from '../../batches/batch-progress.controller';
import { type BatchWire } from '../../batches/batch-wire';
import { count, duration, percent as shareOfRows } from '../layout/labels';
import { Layout, renderPage, SampleNotice } from '../layout/layout';
import { batchHeading, geocodedText, OUTCOME_LABELS, TYPE_LABELS } from './batch-labels';
import {
  BatchActions,
  BatchAddresses,
  BatchErrors,
  BatchEyebrow,
  NextStep,
  PendingAddresses,
  Webhook,
} from './batch-sections';
import { Summary } from './batch-summary';

/** Progress and results of a batch. A script updates the numbers; without scripts the page reloads at intervals. */
export function renderBatchPage(props: BatchPageProps): string {
  const { batch, name = null, user = null, errors = [], summary = null, webhook = null } = props;
  const ended = isFinal(batch.state);
  return renderPage(
    <Layout
      title={`${name ?? TYPE_LABELS[batch.type].name}: ${batchHeading(batch)}`}
      section="/batches"
      user={user}
      scripts={ended ? (summary === null ? [] : ['charts']) : ['live']}
      refreshSeconds={ended ? undefined : 2}
    >
      <BatchEyebrow name={name} type={batch.type} options={props.options} />
      <h1 tabIndex={-1} data-heading data-name={name ?? TYPE_LABELS[batch.type].name}>
        {batchHeading(batch)}
      </h1>
      {batch.data_release.startsWith('sample.') && <SampleNotice />}
      <Stages batch={batch} />
      <p class="hidden" role="status" id="said" />
      <StallNotice batch={batch} />
      <NextStep batch={batch} />
      <PendingAddresses batch={batch} />
      {batch.state !== 'expired' && <Files {...props} />}
      <Throughput batch={batch} ended={ended} />
      <BatchActions batch={batch} user={user} />
      <Outcomes batch={batch} summary={summary} />
      {summary !== null && (
        <Summary
          summary={summary}
          type={batch.type}
          file={`${batch.links.self}/summary?format=csv${fileQuerySuffix(props)}`}
        />
      )}
      {batch.state !== 'expired' && (
        <BatchErrors
          rows={errors}
          all={rowsWithErrors(batch)}
          file={`${batch.links.errors}?format=csv${fileQuerySuffix(props)}`}
        />
      )}
      <BatchAddresses batch={batch} />
      <Webhook webhook={webhook} ended={ended} />
      <p>
        <a href="/guide/method">Method and limitations</a> ·{' '}
        <a href="/guide/data-dictionary#added-columns-of-a-contribution">Data dictionary</a>
      </p>
      <p class="quiet">
        <code>{batch.id}</code>, data release <code>{batch.data_release}</code>
      </p>
    </Layout>,
  );
}

/** Why a batch makes no progress; hidden while it does. Pending addresses have a separate notice. */
function StallNotice({
  batch: { state, stages, addresses, waits_for: reason },
}: {
  readonly batch: BatchWire;
}): VNode | null {
  if (isFinal(state)) return null;
  const isShown = reason !== null && addresses.pending === 0 && stages.enriched.done < stages.enriched.total;
  return (
    <p class="notice" id="held-up" hidden={!isShown}>
      {isShown && stallText(reason)}
    </p>
  );
}

/** The same text as in scripts/live.js. */
const stallText = (reason: string): string => `Waiting: ${reason}. No data is lost.`;

const countsOf = ({ counts }: BatchWire): Readonly<Record<string, number>> => counts;
const rowsWithErrors = (batch: BatchWire): number => countsOf(batch).invalid + countsOf(batch).failed;

const Throughput = ({ batch, ended }: { readonly batch: BatchWire; readonly ended: boolean }): VNode => (
  <p class="quiet">
    <span data-pace>
      {batch.rows_per_second !== null && `${count(batch.rows_per_second)} rows per second. `}
      {!ended && batch.eta_seconds !== null && `About ${duration(batch.eta_seconds)} left. `}
    </span>
    {batch.expires_at !== null &&
      `Rows ${batch.state === 'expired' ? 'expired' : 'expire'} on ${batch.expires_at.slice(0, 16).replace('T', ' ')} UTC.`}
  </p>
);

/** Columns whose fill rates are shown next to the row results; a matched row may lack some of them. */
const KEY_COLUMNS = ['AGE', 'GENDER', 'ETHNICITY', 'FIPS', 'HH_INCOME_MEDIAN'];

const Outcomes = ({
  batch,
  summary,
}: Pick<BatchPageProps, 'batch'> & { readonly summary: BatchSummary | null }): VNode => (
  <section id="rows">
    <h2>Rows</h2>
    <dl class="numbers counts">
      {Object.entries(OUTCOME_LABELS)
        .filter(([outcome]) => outcome !== 'partial' || batch.stages.geocoded !== null)
        .map(([outcome, label]) => (
          <div>
            <dt>{label}</dt>
            <dd data-count={`counts.${outcome}`}>{count(countsOf(batch)[outcome])}</dd>
          </div>
        ))}
    </dl>
    {summary !== null && (
      <p>
        Rows with a value:{' '}
        {summary.filled
          .filter(({ column }) => KEY_COLUMNS.includes(column))
          .map(({ column, fill_rate: share }) => `${column} ${shareOfRows(share)}`)
          .join(', ')}
        . <a href="#filled">All columns</a>
      </p>
    )}
  </section>
);

const Stages = ({ batch, batch: { stages, addresses, type } }: { readonly batch: BatchWire }): VNode => (
  <div class="stages">
    <Stage
      name="enriched"
      label={`Names: ${TYPE_LABELS[type].fromNames}`}
      share={percent(stages.enriched)}
      {...stages.enriched}
    />
    {stages.geocoded !== null && (
      <Stage
        name="geocoded"
        label="Addresses: county, tract, income"
        share={geocodedText(addresses)}
        {...geocodedOf(batch)}
      />
    )}
  </div>
);

/** Number of geocoded addresses; the total adds pending addresses and unprocessed rows. */
function geocodedOf({ stages: { enriched }, addresses }: BatchWire) {
  const found = addresses.match + addresses.no_match + addresses.tie;
  return { done: found, total: found + addresses.pending + enriched.total - enriched.done };
}

interface StageProps {
  readonly name: string;
  readonly label: string;
  readonly share: string;
  readonly done: number;
  readonly total: number;
}

const percent = ({ done, total }: Pick<StageProps, 'done' | 'total'>): string =>
  total === 0 ? '100%' : `${Math.floor((100 * done) / total)}%`;

const Stage = ({ name, label, share, done, total }: StageProps): VNode => (
  <label class="stage" data-stage={name}>
    <span>{label}</span>
    <span class="share">{share}</span>
    <progress max={Math.max(1, total)} value={total === 0 ? 1 : done} />
  </label>
);

/** Query of the links to files. */
const fileQuerySuffix = ({ batch, apiKey }: BatchPageProps): string =>
  `${isFinal(batch.state) ? '' : '&partial=true'}${apiKey === undefined ? '' : `&apiKey=${encodeURIComponent(apiKey)}`}`;

const FILES = [
  ['CSV', 'format=csv'],
  ['CSV for Excel', 'format=csv&bom=true'],
  ['Excel', 'format=xlsx'],
  ['Parquet', 'format=parquet'],
  ['NDJSON', 'format=ndjson'],
  ['JSON', 'format=json'],
] as const;

function Files(props: BatchPageProps): VNode {
  const { links, state, stages } = props.batch;
  return (
    <p class="files" data-files hidden={stages.enriched.done === 0}>
      {state === 'completed' ? 'Download results' : `Download ${isFinal(state) ? 'partial results' : 'results so far'}`}
      :{' '}
      {FILES.map(([label, query], at) => (
        <>
          {at > 0 && ' · '}
          <a href={`${links.results}?${query}${fileQuerySuffix(props)}`}>{label}</a>
        </>
      ))}{' '}
      <span data-errors hidden={rowsWithErrors(props.batch) === 0}>
        · <a href={`${links.errors}?format=csv${fileQuerySuffix(props)}`}>rows with errors</a>
      </span>
      <br />
      <span class="quiet">Your own columns are text in Excel and Parquet files.</span>
    </p>
  );
}
