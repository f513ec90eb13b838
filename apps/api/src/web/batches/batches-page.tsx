import { isFinal } from '@donorlens/batches';
import { counted } from '@donorlens/primitives';
import { type VNode } from 'preact';
import { type SessionUser } from '../../access/sessions';
import { type EstimateOptions } from '../../batches/batch-progress.controller';
import { type BatchWire } from '../../batches/batch-wire';
import { duration } from '../layout/labels';
import { Layout, renderPage } from '../layout/layout';
import { batchHeading, batchStallReason, TYPE_LABELS, typeText } from './batch-labels';
import { actionPath } from './batch-sections';

type NamedBatch = BatchWire & {
  readonly options: EstimateOptions;
  /** Name of the uploaded file. */
  readonly name: string | null;
};

/** States by filter value. */
export const STATES_OF = {
  open: ['accepted', 'running', 'cancelling'],
  completed: ['completed'],
  ended: ['failed', 'cancelled'],
  expired: ['expired'],
} as const satisfies Record<string, readonly BatchWire['state'][]>;
export const STATE_FILTERS = Object.keys(STATES_OF) as (keyof typeof STATES_OF)[];
export const SORTS = ['newest', 'oldest'] as const;

const FILTER_LABELS = {
  open: 'In progress',
  completed: 'Completed',
  ended: 'Failed, cancelled',
  expired: 'Expired',
} as const;

interface Filter {
  readonly namePart: string | null;
  readonly state: keyof typeof STATES_OF | null;
  readonly sort: (typeof SORTS)[number];
}

interface BatchesProps {
  readonly user: SessionUser | null;
  readonly batches: readonly NamedBatch[];
  /** Cursor of the next page; null on the last one. */
  readonly next: string | null;
  /** True if this is not the first page. */
  readonly isLater: boolean;
  readonly wasDeleted: boolean;
  readonly filter: Filter;
}

const REFRESH_SECONDS = 10;

/** Batches of the API key, with filter and order. */
export function renderBatchesPage({ user, batches, next, isLater, wasDeleted, filter }: BatchesProps): string {
  const isFiltered = filter.namePart !== null || filter.state !== null;
  const anyOpen = batches.some(({ state }) => !isFinal(state));
  return renderPage(
    <Layout
      title="Batches"
      section="/batches"
      user={user}
      scripts={anyOpen ? ['ops'] : []} // updates the page in place, like the operations console
      refreshSeconds={anyOpen ? REFRESH_SECONDS : undefined}
    >
      <h1>Batches</h1>
      <p class="hidden" role="status" id="said" />
      {wasDeleted && (
        <p class="notice" role="status">
          The batch was deleted.
        </p>
      )}
      {(isFiltered || isLater || batches.length > 0) && <FilterForm filter={filter} />}
      {batches.length === 0 ? (
        <p class="lede">{isFiltered ? 'No batch matches.' : isLater ? 'No more batches.' : 'No batches yet.'}</p>
      ) : (
        <ol class="batches">
          {batches.map((batch) => (
            <Entry batch={batch} />
          ))}
        </ol>
      )}
      <p class="files">
        <a href="/upload">Upload a file</a>
        {isLater && (
          <>
            {' · '}
            <a href={listUrl(filter)}>First page</a>
          </>
        )}
        {next !== null && (
          <>
            {' · '}
            <a href={listUrl(filter, next)} rel="next">
              {filter.sort === 'oldest' ? 'Newer' : 'Older'}
            </a>
          </>
        )}
      </p>
    </Layout>,
  );
}

function listUrl({ namePart, state, sort }: Filter, after?: string): string {
  const values = { name_part: namePart, state, sort: sort === 'newest' ? null : sort, after: after ?? null };
  const query = new URLSearchParams(
    Object.entries(values).flatMap(([name, value]) => (value === null ? [] : [[name, value]])),
  );
  return `/batches${query.size > 0 ? `?${query.toString()}` : ''}`;
}

const FilterForm = ({ filter: { namePart, state, sort } }: { readonly filter: Filter }): VNode => (
  <form class="ask" method="get" action="/batches">
    <label>
      File name
      <input type="search" name="name_part" value={namePart ?? ''} maxlength={200} autocomplete="off" />
    </label>
    <label>
      State
      <select name="state">
        <option value="">All</option>
        {STATE_FILTERS.map((one) => (
          <option value={one} selected={one === state}>
            {FILTER_LABELS[one]}
          </option>
        ))}
      </select>
    </label>
    <label>
      Order
      <select name="sort">
        <option value="newest">Newest first</option>
        <option value="oldest" selected={sort === 'oldest'}>
          Oldest first
        </option>
      </select>
    </label>
    <button type="submit" class="second">
      Show
    </button>
  </form>
);

function Entry({ batch }: { readonly batch: NamedBatch }): VNode {
  const { id, name, state, progress, created_at, links } = batch;
  const label = name ?? TYPE_LABELS[batch.type].name;
  const stall = batchStallReason(batch);
  const options = typeText(batch.type, batch.options);
  return (
    <li id={`batch-${id}`}>
      <h2>
        <a href={`${links.self}?format=html`}>
          <bdi>{label}</bdi>
        </a>
      </h2>
      <p>
        {(name !== null || options !== TYPE_LABELS[batch.type].name) && `${options} · `}
        <span class={`state ${state}`}>{batchHeading(batch)}</span>
        {stall !== null && `: ${stall}`}
        {batch.data_release.startsWith('sample.') && '; sample data'}
      </p>
      {!isFinal(state) && <progress max="1" value={progress} aria-label={`Progress of ${label}`} />}
      <p>
        <time datetime={created_at ?? ''}>{created_at?.slice(0, 16).replace('T', ' ')} UTC</time>
        {!isFinal(state) && batch.eta_seconds !== null && ` · About ${duration(batch.eta_seconds)} left`}
        {state !== 'expired' && isFinal(state) && batch.stages.enriched.done > 0 && (
          <Results batch={batch} label={label} />
        )}
        {state === 'completed' && (
          <>
            {' · '}
            <a href={actionPath(id, 'repeat')}>
              Repeat with other options<span class="hidden"> {label}</span>
            </a>
          </>
        )}
        {' · '}
        <a href={actionPath(id, 'delete')}>
          Delete…<span class="hidden"> {label}</span>
        </a>
      </p>
    </li>
  );
}

/** The page of a batch has all formats. */
const FORMATS = [
  ['csv', 'CSV'],
  ['xlsx', 'Excel'],
  ['parquet', 'Parquet'],
] as const;

function Results({ batch: { links, counts }, label }: { readonly batch: BatchWire; readonly label: string }): VNode {
  const { invalid, failed } = counts as Readonly<Record<string, number>>;
  return (
    <>
      {FORMATS.map(([format, name]) => (
        <>
          {' · '}
          <a href={`${links.results}?format=${format}`}>
            {name}
            <span class="hidden"> of {label}</span>
          </a>
        </>
      ))}
      {invalid + failed > 0 && (
        <>
          {' · '}
          <a href={`${links.errors}?format=csv`}>
            {counted(invalid + failed, 'row with errors', 'rows with errors')}
            <span class="hidden"> of {label}</span>
          </a>
        </>
      )}
    </>
  );
}
