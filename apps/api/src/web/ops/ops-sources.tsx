import { type VNode } from 'preact';
import { formatUtcTime, type SourceStatus } from '@donorlens/operations';
import { count, DATA_ORIGIN_LABELS } from '../layout/labels';
import { Age, RequestButton, type OpsView } from './ops-components';

/** Data release, chart version, data sources and webhooks. */
export function SourcesSection({ view }: { readonly view: OpsView }): VNode {
  const { release, charts, sources, webhooks } = view.status;
  return (
    <section id="data">
      <h2 id="data-title">Data</h2>
      <p>
        {release ? (
          <>
            Active data release: <code>{release.id}</code>
            {` (${DATA_ORIGIN_LABELS[release.label as keyof typeof DATA_ORIGIN_LABELS] ?? release.label}), since ${formatUtcTime(release.activeSince)}. `}
          </>
        ) : (
          'No data release is active yet. '
        )}
        {charts
          ? `Charts: version ${charts.versionId}, built ${formatUtcTime(charts.builtAt)}${charts.isBehind ? '; newer data is not included yet' : ''}.`
          : 'Charts: not built yet.'}
      </p>
      <div class="table" tabindex={0} role="region" aria-labelledby="data-title">
        <table>
          <thead>
            <tr>
              {['Source', 'Last success', 'Last scheduled run', 'Result', 'Next run', 'Action'].map((name) => (
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
      <h3 id="messages">Webhooks</h3>
      <p>{`${count(webhooks.delivered)} delivered, ${count(webhooks.pending)} pending, ${count(webhooks.failed)} failed permanently.`}</p>
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
            'manual only'
          )
        ) : nextRunAt <= now ? (
          'due now'
        ) : (
          <Age at={nextRunAt} now={now} />
        )}
      </td>
      <td>
        <RequestButton
          action="refresh"
          target={{ source: kind }}
          user={view.user}
          isOff={view.isOff}
          label={kind === 'charts' ? 'Rebuild' : 'Refresh now'}
          about={kind}
        />
      </td>
    </tr>
  );
}
