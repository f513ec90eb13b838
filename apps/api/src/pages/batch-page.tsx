import { type ErrorRow } from '@donorlens/batches';
import { type VNode } from 'preact';
import { type Visitor } from '../access/visitor';
import { type BatchWire, FINAL_STATES } from '../batches/batch-wire';
import { BatchActions } from './batch-actions';
import { BatchAddresses, WaitingAddresses } from './batch-addresses';
import { BatchErrors } from './batch-errors';
import { batchHeading, lookedUp, OUTCOME_WORDS, TYPE_WORDS } from './batch-words';
import { Layout, renderPage } from './layout';
import { SampleNotice } from './sample-notice';
import { count, duration } from './words';

export interface BatchPageProps {
  readonly batch: BatchWire;
  /** Of its file. */
  readonly name?: string | null;
  /** The reader's key, where it came in the URL: links carry it on. */
  readonly apiKey?: string;
  readonly visitor?: Visitor | null;
  /** The first rows without an answer. */
  readonly errors?: readonly ErrorRow[];
}

/** How far a batch is, for a person. Its script changes the numbers where they stand; without one it loads itself again. */
export function renderBatchPage(props: BatchPageProps): string {
  const { batch, name = null, visitor = null, errors = [] } = props;
  const ended = FINAL_STATES.has(batch.state);
  return renderPage(
    <Layout
      title={`Batch ${batch.state}`}
      visitor={visitor}
      scripts={ended ? [] : ['live']}
      refreshSeconds={ended ? undefined : 2}
    >
      <p class="eyebrow">
        Batch{name !== null && <bdi> {name}</bdi>}: {TYPE_WORDS[batch.type].name}
      </p>
      <h1 tabIndex={-1} data-heading>
        {batchHeading(batch)}
      </h1>
      {batch.data_release.startsWith('sample.') && <SampleNotice />}
      <Stages batch={batch} />
      <p class="hidden" role="status" id="said" />
      <HeldUp batch={batch} />
      <WaitingAddresses batch={batch} />
      {batch.state !== 'expired' && <Files {...props} />}
      <Pace batch={batch} ended={ended} />
      <BatchActions batch={batch} visitor={visitor} />
      <Outcomes batch={batch} />
      {batch.state !== 'expired' && (
        <BatchErrors rows={errors} all={unanswered(batch)} file={`${batch.links.errors}?format=csv${suffix(props)}`} />
      )}
      <BatchAddresses batch={batch} />
      <p>
        <a href="/guide/method">How it is estimated, and what it can say</a> ·{' '}
        <a href="/guide/data-dictionary#added-to-a-contribution-in-this-order">What the columns mean</a>
      </p>
      <p class="quiet">
        <code>{batch.id}</code>, data release <code>{batch.data_release}</code>
      </p>
    </Layout>,
  );
}

/** Why nothing moves, before there are addresses that wait; kept ready where it does. */
function HeldUp({
  batch: { state, stages, addresses, waits_for: reason },
}: {
  readonly batch: BatchWire;
}): VNode | null {
  if (FINAL_STATES.has(state)) return null;
  const isShown = reason !== null && addresses.pending === 0 && stages.enriched.done < stages.enriched.total;
  return (
    <p class="notice" id="held-up" hidden={!isShown}>
      {isShown && heldUp(reason)}
    </p>
  );
}

/** scripts/live.js says the same. */
const heldUp = (reason: string): string => `Nothing moves: ${reason}. Nothing is lost.`;

const countsOf = ({ counts }: BatchWire): Readonly<Record<string, number>> => counts;
const unanswered = (batch: BatchWire): number => countsOf(batch).invalid + countsOf(batch).failed;

const Pace = ({ batch, ended }: { readonly batch: BatchWire; readonly ended: boolean }): VNode => (
  <p class="quiet">
    <span data-pace>
      {batch.rows_per_second !== null && `${count(batch.rows_per_second)} rows a second. `}
      {!ended && batch.eta_seconds !== null && `About ${duration(batch.eta_seconds)} left. `}
    </span>
    {batch.expires_at !== null && `The rows are kept until ${batch.expires_at.slice(0, 16).replace('T', ' ')} UTC.`}
  </p>
);

const Outcomes = ({ batch }: { readonly batch: BatchWire }): VNode => (
  <section id="rows">
    <h2>Rows</h2>
    <dl class="numbers tally">
      {Object.entries(OUTCOME_WORDS)
        .filter(([outcome]) => outcome !== 'partial' || batch.stages.geocoded !== null)
        .map(([outcome, words]) => (
          <div>
            <dt>{words}</dt>
            <dd data-count={`counts.${outcome}`}>{count(countsOf(batch)[outcome])}</dd>
          </div>
        ))}
    </dl>
  </section>
);

const Stages = ({ batch: { stages, addresses } }: { readonly batch: BatchWire }): VNode => (
  <div class="stages">
    <Stage
      name="enriched"
      words="Names: age, gender, ethnicity"
      share={percent(stages.enriched)}
      {...stages.enriched}
    />
    {stages.geocoded !== null && (
      <Stage
        name="geocoded"
        words="Addresses: county, tract, income"
        share={lookedUp(addresses)}
        {...lookedUpOf(stages.enriched, addresses)}
      />
    )}
  </div>
);

/** Of the addresses that somebody is asked about, and of rows that may have one. */
function lookedUpOf({ done, total }: Pick<StageProps, 'done' | 'total'>, addresses: BatchWire['addresses']) {
  const found = addresses.match + addresses.no_match + addresses.tie;
  return { done: found, total: found + addresses.pending + total - done };
}

interface StageProps {
  readonly name: string;
  readonly words: string;
  readonly share: string;
  readonly done: number;
  readonly total: number;
}

const percent = ({ done, total }: Pick<StageProps, 'done' | 'total'>): string =>
  total === 0 ? '100 %' : `${Math.floor((100 * done) / total)} %`;

const Stage = ({ name, words, share, done, total }: StageProps): VNode => (
  <label class="stage" data-stage={name}>
    <span>{words}</span>
    <span class="share">{share}</span>
    <progress max={Math.max(1, total)} value={total === 0 ? 1 : done} />
  </label>
);

/** What links to files carry on. */
const suffix = ({ batch, apiKey }: BatchPageProps): string =>
  `${FINAL_STATES.has(batch.state) ? '' : '&partial=true'}${apiKey === undefined ? '' : `&apiKey=${encodeURIComponent(apiKey)}`}`;

function Files(props: BatchPageProps): VNode {
  const { links, state } = props.batch;
  return (
    <p class="files">
      {FINAL_STATES.has(state) ? 'Results' : 'Results so far'} as{' '}
      {['csv', 'ndjson', 'json'].map((format, at) => (
        <>
          {at > 0 && ' · '}
          <a href={`${links.results}?format=${format}${suffix(props)}`}>{format.toUpperCase()}</a>
        </>
      ))}{' '}
      <span data-errors hidden={unanswered(props.batch) === 0}>
        · <a href={`${links.errors}?format=csv${suffix(props)}`}>rows that could not be read</a>
      </span>
    </p>
  );
}
