import { type VNode } from 'preact';
import { type Visitor } from '../access/visitor';
import { type BatchWire, FINAL_STATES } from '../batches/batch-wire';
import { STATE_WORDS, TYPE_WORDS } from './batch-words';
import { Layout, renderPage } from './layout';
import { count } from './words';

interface BatchesProps {
  readonly visitor: Visitor | null;
  readonly batches: readonly BatchWire[];
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
    <Layout title="Batches" visitor={visitor} refreshSeconds={anyOpen ? LIVE_SECONDS : undefined}>
      <h1>Batches</h1>
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

function Entry({ batch }: { readonly batch: BatchWire }): VNode {
  const { type, state, counts, progress, created_at, links } = batch;
  const words = `${TYPE_WORDS[type].name}, ${count(counts.total)} ${counts.total === 1 ? 'row' : 'rows'}`;
  const errors =
    (counts as Readonly<Record<string, number>>).invalid + (counts as Readonly<Record<string, number>>).failed;
  return (
    <li>
      <h2>
        <a href={`${links.self}?format=html`}>{words}</a>
      </h2>
      <p>
        <time datetime={created_at ?? ''}>{created_at?.slice(0, 16).replace('T', ' ')} UTC</time>,{' '}
        <span class={`state ${state}`}>{STATE_WORDS[state]}</span>
        {!FINAL_STATES.has(state) && `, ${Math.floor(100 * progress)} %`}
      </p>
      {!FINAL_STATES.has(state) && <progress max="1" value={progress} aria-label={`Progress of ${words}`} />}
      {state !== 'expired' && FINAL_STATES.has(state) && (
        <p>
          <a href={`${links.results}?format=csv`}>
            CSV<span class="hidden"> of {words}</span>
          </a>{' '}
          ·{' '}
          <a href={`${links.results}?format=ndjson`}>
            NDJSON<span class="hidden"> of {words}</span>
          </a>
          {errors > 0 && (
            <>
              {' · '}
              <a href={`${links.errors}?format=csv`}>{count(errors)} without an answer</a>
            </>
          )}
        </p>
      )}
    </li>
  );
}
