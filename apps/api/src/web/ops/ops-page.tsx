import { type VNode } from 'preact';
import {
  type Alert,
  alertsFor,
  type AuditEntry,
  databaseDownMessage,
  databaseSlowMessage,
  type DatabaseIssue,
  formatUtcTime,
  overallStatus,
} from '@donorlens/operations';
import { type SessionUser } from '../../access/sessions';
import { type OpsSnapshot } from '../../ops/ops-snapshot';
import { Layout, renderPage } from '../layout/layout';
import { AuditSection, BatchesSection, actionText } from './ops-batches';
import { type OpsView, RELOAD_SECONDS } from './ops-components';
import { QueuesSection } from './ops-queues';
import { GeocoderSection, ProcessesSection } from './ops-services';
import { SourcesSection } from './ops-sources';

interface OpsPageProps {
  readonly snapshot: OpsSnapshot;
  readonly now: Date;
  readonly user: SessionUser | null;
  /** Operator request that was just submitted. */
  readonly requestId: string | null;
}

/** The operations console: alerts, then the state of the service. */
export function renderOpsPage({ snapshot, now, user, requestId }: OpsPageProps): string {
  const { status, entries, issue } = snapshot;
  const view = status && { status, entries, issue, now, user, isOff: issue?.kind === 'away' };
  return renderPage(
    <Layout title="Operations" user={user} section="/ops" scripts={['ops']} refreshSeconds={RELOAD_SECONDS}>
      <h1>Operations</h1>
      {status && <p class="lede overall">{overallStatus(status, issue, now)}</p>}
      <p id="said" class="quiet" role="status">
        {issue && status
          ? `As last known at ${formatUtcTime(status.at)}.`
          : `As of ${formatUtcTime(status?.at ?? now)}.`}
      </p>
      {requestId !== null && <RequestNotice requestId={requestId} entries={entries} />}
      {view ? <Sections view={view} /> : <UnknownState issue={issue} now={now} />}
    </Layout>,
  );
}

const Sections = ({ view }: { readonly view: OpsView }): VNode => (
  <>
    <AlertsSection alerts={alertsFor(view.status, view.issue, view.now)} />
    <QueuesSection view={view} />
    <BatchesSection view={view} />
    <ProcessesSection view={view} />
    <GeocoderSection view={view} />
    <SourcesSection view={view} />
    <AuditSection view={view} />
    <p class="quiet">
      <a href="/ops?format=json">JSON</a>
      {' · '}
      <a href="/metrics">Metrics</a>
    </p>
    {view.user === null && (
      <p class="quiet">Sign in to use the actions: this page was opened with a key in a header.</p>
    )}
  </>
);

const AlertsSection = ({ alerts }: { readonly alerts: readonly Alert[] }): VNode => (
  <section id="attention" aria-label="Alerts">
    {alerts.length > 0 && (
      <ul class="attention">
        {alerts.map(({ message, section, runbook }, at) => (
          <li>
            <a id={`alert-${at}`} href={`#${section}`}>
              {message}
            </a>{' '}
            <a href={`/guide/runbook#${runbook}`} aria-describedby={`alert-${at}`}>
              What to do
            </a>
          </li>
        ))}
      </ul>
    )}
  </section>
);

interface RequestProps {
  readonly requestId: string;
  readonly entries: readonly AuditEntry[];
}

const REQUEST_STATES = {
  asked: 'Requested; takes effect within a second',
  running: 'Running',
  done: 'Completed',
  failed: 'Failed',
} as const;

function RequestNotice({ requestId, entries }: RequestProps): VNode {
  const entry = entries.find(({ detail, action }) => action.startsWith('ops.') && String(detail.request) === requestId);
  return (
    <p class="notice" id="asked">
      {entry
        ? `${actionText(entry)}: ${REQUEST_STATES[entry.state ?? 'asked']}. `
        : `Request ${requestId} is not among the latest entries of the audit log. `}
      <a href="#audit">Audit log</a>
    </p>
  );
}

const UnknownState = ({ issue, now }: { readonly issue: DatabaseIssue | null; readonly now: Date }): VNode => (
  <ul class="attention">
    <li>
      {issue && (issue.kind === 'slow' ? databaseSlowMessage(issue.since, now) : databaseDownMessage(issue, now))} The
      state of the service is unknown: this process has not been able to read it yet.
    </li>
  </ul>
);
