import { type VNode } from 'preact';
import { type SessionUser } from '../../access/sessions';
import { type BatchWire, FINAL_STATES } from '../../batches/batch-wire';
import { count } from '../layout/labels';
import { Layout, renderPage } from '../layout/layout';
import { batchHeading, TYPE_LABELS } from './batch-labels';

type NamedBatch = BatchWire & {
  /** Name of the uploaded file. */
  readonly name: string | null;
};

interface BatchesProps {
  readonly user: SessionUser | null;
  readonly batches: readonly NamedBatch[];
  /** Cursor of the next page; null on the last one. */
  readonly next: string | null;
  /** Not the first page. */
  readonly isOlder: boolean;
  readonly wasDeleted: boolean;
}

const REFRESH_SECONDS = 10;

/** Batches of the API key, newest first. */
export function renderBatchesPage({ user, batches, next, isOlder, wasDeleted }: BatchesProps): string {
  const anyOpen = batches.some(({ state }) => !FINAL_STATES.has(state));
  return renderPage(
    <Layout
      title="Batches"
      section="/batches"
      user={user}
      scripts={anyOpen ? ['ops'] : []} // updates the page in place, like the console
      refreshSeconds={anyOpen ? REFRESH_SECONDS : undefined}
    >
      <h1>Batches</h1>
      <p class="hidden" role="status" id="said" />
      {wasDeleted && (
        <p class="notice" role="status">
          The batch was deleted.
        </p>
      )}
      {batches.length === 0 ? (
        <p class="lede">{isOlder ? 'No older batches.' : 'No batches yet.'}</p>
      ) : (
        <ol class="batches">
          {batches.map((batch) => (
            <Entry batch={batch} />
          ))}
        </ol>
      )}
      <p class="files">
        <a href="/upload">Upload a file</a>
        {isOlder && (
          <>
            {' · '}
            <a href="/batches">Newest</a>
          </>
        )}
        {next !== null && (
          <>
            {' · '}
            <a href={`/batches?after=${next}`} rel="next">
              Older
            </a>
          </>
        )}
      </p>
    </Layout>,
  );
}

function Entry({ batch }: { readonly batch: NamedBatch }): VNode {
  const { id, name, state, progress, created_at, links } = batch;
  const label = name ?? TYPE_LABELS[batch.type].name;
  return (
    <li id={`batch-${id}`}>
      <h2>
        <a href={`${links.self}?format=html`}>
          <bdi>{label}</bdi>
        </a>
      </h2>
      <p>
        {name !== null && `${TYPE_LABELS[batch.type].name}: `}
        <span class={`state ${state}`}>{batchHeading(batch)}</span>
        {batch.data_release.startsWith('sample.') && '; sample data'}
      </p>
      {!FINAL_STATES.has(state) && <progress max="1" value={progress} aria-label={`Progress of ${label}`} />}
      <p>
        <time datetime={created_at ?? ''}>{created_at?.slice(0, 16).replace('T', ' ')} UTC</time>
        {state !== 'expired' && FINAL_STATES.has(state) && <Results batch={batch} label={label} />}
      </p>
    </li>
  );
}

function Results({ batch: { links, counts }, label }: { readonly batch: BatchWire; readonly label: string }): VNode {
  const { invalid, failed } = counts as Readonly<Record<string, number>>;
  return (
    <>
      {['csv', 'ndjson'].map((format) => (
        <>
          {' · '}
          <a href={`${links.results}?format=${format}`}>
            {format.toUpperCase()}
            <span class="hidden"> of {label}</span>
          </a>
        </>
      ))}
      {invalid + failed > 0 && (
        <>
          {' · '}
          <a href={`${links.errors}?format=csv`}>
            {count(invalid + failed)} invalid rows<span class="hidden"> of {label}</span>
          </a>
        </>
      )}
    </>
  );
}
