import { type VNode } from 'preact';
import { type Visitor, withCsrf } from '../access/visitor';
import { type BatchWire, FINAL_STATES } from '../batches/batch-wire';
import { TYPE_WORDS } from './batch-words';
import { Layout, renderPage } from './layout';
import { count } from './words';

export const actionPath = (id: string, action: 'cancel' | 'delete'): string => `/batches/${id}/${action}`;

interface ActionsProps {
  readonly batch: BatchWire;
  /** Somebody whose key is in the URL reads; changing something takes a session. */
  readonly visitor: Visitor | null;
}

/** What can be done with a batch. */
export function BatchActions({ batch: { id, state }, visitor }: ActionsProps): VNode | null {
  if (visitor === null) return null;
  return (
    <div class="steps">
      {!FINAL_STATES.has(state) && state !== 'cancelling' && (
        <form method="post" action={withCsrf(actionPath(id, 'cancel'), visitor)}>
          <button type="submit" class="second">
            Stop it here
          </button>
        </form>
      )}
      <a class="button second" href={actionPath(id, 'delete')}>
        Delete…
      </a>
      <a href="/batches">All batches</a>
    </div>
  );
}

/** Deleting cannot be undone, so it is asked for twice. */
export const renderDeletePage = (batch: BatchWire, visitor: Visitor | null): string =>
  renderPage(
    <Layout title="Delete a batch" visitor={visitor}>
      <p class="eyebrow">{TYPE_WORDS[batch.type].name}</p>
      <h1>Delete this batch of {count(batch.counts.total)} rows?</h1>
      <p class="lede">
        What you sent, its results and its counts are erased at once, and cannot be brought back.
        {!FINAL_STATES.has(batch.state) && ' Rows that wait will not be answered.'}
      </p>
      <div class="steps">
        <form
          method="post"
          action={visitor ? withCsrf(actionPath(batch.id, 'delete'), visitor) : actionPath(batch.id, 'delete')}
        >
          <button type="submit">Delete it</button>
        </form>
        <a class="button second" href={`${batch.links.self}?format=html`}>
          Keep it
        </a>
      </div>
    </Layout>,
  );
