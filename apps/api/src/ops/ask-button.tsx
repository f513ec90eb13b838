import { type VNode } from 'preact';
import { type OpsAction, type OpsTarget } from '@donorlens/operations';
import { type Visitor, withCsrf } from '../access/visitor';

interface AskProps {
  readonly action: OpsAction;
  readonly target: OpsTarget;
  /** Who may ask; null where the page was opened with a key in a header, which no form can send. */
  readonly visitor: Visitor | null;
  /** Nothing can be written down while the database is away. */
  readonly isOff: boolean;
  readonly words: string;
  /** What the button is about, for who does not see where it stands. */
  readonly about: string;
}

/** One thing that an operator may ask for. */
export function AskButton({ action, target, visitor, isOff, words, about }: AskProps): VNode | null {
  if (visitor === null) return null;
  const query = new URLSearchParams({ action, ...target }).toString();
  return (
    <form class="ask-ops" method="post" action={withCsrf(`/ops/ask?${query}`, visitor)}>
      <button type="submit" id={`${action}-${Object.values(target).join('-')}`} disabled={isOff}>
        {words}
        <span class="hidden"> {about}</span>
      </button>
    </form>
  );
}
