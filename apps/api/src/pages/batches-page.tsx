import { type VNode } from 'preact';
import { type Visitor } from '../access/visitor';
import { type BatchWire, FINAL_STATES } from '../batches/batch-wire';
import { batchHeading, TYPE_WORDS } from './batch-words';
import { Layout, renderPage } from './layout';
import { count } from './words';

type NamedBatch = BatchWire & {
  /** Of its file. */
  readonly name: string | null;
};

interface BatchesProps {
  readonly visitor: Visitor | null;
  readonly batches: readonly NamedBatch[];
  /** Mark of the page after this; null on the last. */
  readonly next: string | null;
  /** Not the first page. */
  readonly isOlder: boolean;
  readonly wasDeleted: boolean;
}

const LIVE_SECONDS = 10;

/** A key's own batches, the newest first. */
export function renderBatchesPage({ visitor, batches, next, isOlder, wasDeleted }: BatchesProps): string {
  const anyOpen = batches.some(({ state }) => !FINAL_STATES.has(state));
  return renderPage(
    <Layout
      title="Batches"
      visitor={visitor}
      scripts={anyOpen ? ['ops'] : []} // changes where it stands what has changed, here as there
      refreshSeconds={anyOpen ? LIVE_SECONDS : undefined}
    >
      <h1>Batches</h1>
      <p class="hidden" role="status" id="said" />
      {wasDeleted && (
        <p class="notice" role="status">
          The batch is deleted.
        </p>
      )}
      {batches.length === 0 ? (
        <p class="lede">{isOlder ? 'There are no older ones.' : 'Nothing has been sent with this key yet.'}</p>
      ) : (
        <ol class="batches">
          {batches.map((batch) => (
            <Entry batch={batch} />
          ))}
        </ol>
      )}
      <p class="files">
        <a href="/upload">Enrich a file</a>
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
  const words = name ?? TYPE_WORDS[batch.type].name;
  return (
    <li id={`batch-${id}`}>
      <h2>
        <a href={`${links.self}?format=html`}>
          <bdi>{words}</bdi>
        </a>
      </h2>
      <p>
        {name !== null && `${TYPE_WORDS[batch.type].name}: `}
        <span class={`state ${state}`}>{batchHeading(batch)}</span>
        {batch.data_release.startsWith('sample.') && '; from the sample'}
      </p>
      {!FINAL_STATES.has(state) && <progress max="1" value={progress} aria-label={`Progress of ${words}`} />}
      <p>
        <time datetime={created_at ?? ''}>{created_at?.slice(0, 16).replace('T', ' ')} UTC</time>
        {state !== 'expired' && FINAL_STATES.has(state) && <Results batch={batch} words={words} />}
      </p>
    </li>
  );
}

function Results({ batch: { links, counts }, words }: { readonly batch: BatchWire; readonly words: string }): VNode {
  const { invalid, failed } = counts as Readonly<Record<string, number>>;
  return (
    <>
      {['csv', 'ndjson'].map((format) => (
        <>
          {' · '}
          <a href={`${links.results}?format=${format}`}>
            {format.toUpperCase()}
            <span class="hidden"> of {words}</span>
          </a>
        </>
      ))}
      {invalid + failed > 0 && (
        <>
          {' · '}
          <a href={`${links.errors}?format=csv`}>
            {count(invalid + failed)} that could not be read<span class="hidden"> of {words}</span>
          </a>
        </>
      )}
    </>
  );
}
