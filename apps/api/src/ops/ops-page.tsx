import { type VNode } from 'preact';
import { type AuditEntry, type Trouble, databaseAway, databaseSlow } from '@donorlens/operations';
import { type Visitor } from '../access/visitor';
import { Layout, renderPage } from '../pages/layout';
import { type Attention, attentionFor } from './attention';
import { AuditSection, whatWasDone } from './ops-audit';
import { BatchesSection } from './ops-batches';
import { GeocoderSection } from './ops-geocoder';
import { ProcessesSection } from './ops-processes';
import { QueuesSection } from './ops-queues';
import { SourcesSection } from './ops-sources';
import { type OpsView } from './ops-view';
import { type Seen } from './ops-watch';
import { moment } from './ops-words';

/** Where no script does it every 5 s. */
const RELOAD_SECONDS = 15;

interface OpsPageProps {
  readonly seen: Seen;
  readonly now: Date;
  readonly visitor: Visitor | null;
  /** Number of a request that was just made; null: none was. */
  readonly asked: string | null;
}

/** The whole service on one page: first what is wrong, then everything else. */
export function renderOpsPage({ seen, now, visitor, asked }: OpsPageProps): string {
  const { status, entries, trouble } = seen;
  const view = status && { status, entries, trouble, now, visitor, isOff: trouble?.kind === 'away' };
  return renderPage(
    <Layout title="Operations" visitor={visitor} scripts={['ops']} refreshSeconds={RELOAD_SECONDS}>
      <h1>Operations</h1>
      <p id="said" class="quiet" role="status">
        {trouble && status ? `As last known at ${moment(status.at)}.` : `As of ${moment(status?.at ?? now)}.`}
      </p>
      {asked !== null && <Asked request={asked} entries={entries} />}
      {view ? <Sections view={view} /> : <NothingKnown trouble={trouble} now={now} />}
    </Layout>,
  );
}

const Sections = ({ view }: { readonly view: OpsView }): VNode => (
  <>
    <AttentionSection items={attentionFor(view.status, view.trouble, view.now)} />
    <QueuesSection view={view} />
    <ProcessesSection view={view} />
    <BatchesSection view={view} />
    <GeocoderSection view={view} />
    <SourcesSection view={view} />
    <AuditSection view={view} />
    <p class="quiet">
      {'For programs: '}
      <a href="/ops?format=json">this page as JSON</a>
      {' · '}
      <a href="/metrics">metrics</a>
    </p>
    {view.visitor === null && (
      <p class="quiet">Sign in with a key to act: this page was opened with one in a header.</p>
    )}
  </>
);

const AttentionSection = ({ items }: { readonly items: readonly Attention[] }): VNode => (
  <section id="attention">
    {items.length === 0 ? (
      <p class="lede moves">All is well.</p>
    ) : (
      <ul class="attention">
        {items.map(({ words, section }) => (
          <li>
            <a href={`#${section}`}>{words}</a>
          </li>
        ))}
      </ul>
    )}
  </section>
);

function Asked({ request, entries }: { readonly request: string; readonly entries: readonly AuditEntry[] }): VNode {
  const entry = entries.find(({ detail, action }) => action.startsWith('ops.') && String(detail.request) === request);
  const words = entry ? `“${whatWasDone(entry)}”` : `request ${request}`;
  const state = {
    asked: 'the leader does it within a second, the next one where none leads',
    running: 'it is being done',
    done: 'it is done',
    failed: 'it failed',
  };
  return (
    <p class="notice" id="asked">
      {`Asked for ${words}: ${entry?.state ? state[entry.state] : 'it is written down'}. `}
      <a href="#audit">What became of it</a>
    </p>
  );
}

const NothingKnown = ({ trouble, now }: { readonly trouble: Trouble | null; readonly now: Date }): VNode => (
  <ul class="attention">
    <li>
      {trouble && (trouble.kind === 'slow' ? databaseSlow(trouble.since, now) : databaseAway(trouble, now))} Nothing is
      known of the service: it could not be read since this process started.
    </li>
  </ul>
);
