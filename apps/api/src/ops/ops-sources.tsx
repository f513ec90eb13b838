import { type VNode } from 'preact';
import { type SourceStatus } from '@donorlens/operations';
import { count, LABELS } from '../pages/words';
import { AskButton } from './ask-button';
import { type OpsView } from './ops-view';
import { Age, moment } from './ops-words';

/** What answers and charts are made of, and when it was last brought up to date. */
export function SourcesSection({ view }: { readonly view: OpsView }): VNode {
  const { release, charts, sources, webhooks } = view.status;
  return (
    <section id="data">
      <h2 id="data-title">Data</h2>
      <p>
        {release ? (
          <>
            Answers come from release <code>{release.id}</code>
            {` (${LABELS[release.label as keyof typeof LABELS] ?? release.label}), active since ${moment(release.activeSince)}. `}
          </>
        ) : (
          'There is no release of reference data yet. '
        )}
        {charts
          ? `Charts are of version ${charts.versionId}, built ${moment(charts.builtAt)}${charts.isBehind ? '; newer data wait to be charted' : ''}.`
          : 'No charts have been built yet.'}
      </p>
      <div class="table" tabindex={0} role="region" aria-labelledby="data-title">
        <table>
          <thead>
            <tr>
              {['Source', 'Last success', 'Last run', 'Outcome', 'Next run', 'Action'].map((name) => (
                <th scope="col">{name}</th>
              ))}
            </tr>
          </thead>
          <tbody>
            {sources.map((source) => (
              <Source source={source} view={view} />
            ))}
          </tbody>
        </table>
      </div>
      <h3 id="messages">Messages about ended batches</h3>
      <p>{`${count(webhooks.delivered)} delivered, ${count(webhooks.pending)} to be sent, ${count(webhooks.failed)} given up.`}</p>
    </section>
  );
}

function Source({ source, view }: { readonly source: SourceStatus; readonly view: OpsView }): VNode {
  const { kind, label, lastSuccessAt, lastRunAt, lastOutcome, nextRunAt } = source;
  const { now } = view;
  return (
    <tr>
      <th scope="row" class="text">
        {label}
      </th>
      <td>
        <Age at={lastSuccessAt} now={now} />
      </td>
      <td>
        <Age at={lastRunAt} now={now} />
      </td>
      <td class="text">{lastOutcome ?? '–'}</td>
      <td>
        {nextRunAt === null ? (
          kind === 'charts' ? (
            'after each import'
          ) : (
            'by hand only'
          )
        ) : nextRunAt <= now ? (
          'due now'
        ) : (
          <Age at={nextRunAt} now={now} />
        )}
      </td>
      <td>
        <AskButton
          action="refresh"
          target={{ source: kind }}
          visitor={view.visitor}
          isOff={view.isOff}
          words={kind === 'charts' ? 'Rebuild' : 'Refresh now'}
          about={kind}
        />
      </td>
    </tr>
  );
}
