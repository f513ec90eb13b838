import { type VNode } from 'preact';
import { type AuditEntry } from '@donorlens/operations';
import { type OpsView } from './ops-view';
import { Age } from './ops-words';

/** Who asked for what, and what became of it. */
export const AuditSection = ({ view: { entries, now } }: { readonly view: OpsView }): VNode => (
  <section id="audit">
    <h2 id="audit-title">What was asked and changed</h2>
    {entries.length === 0 ? (
      <p class="quiet">Nothing yet.</p>
    ) : (
      <div class="table" tabindex={0} role="region" aria-labelledby="audit-title">
        <table>
          <thead>
            <tr>
              {['When', 'Who', 'What', 'State', 'What came of it'].map((name) => (
                <th scope="col">{name}</th>
              ))}
            </tr>
          </thead>
          <tbody>
            {entries.map((entry) => (
              <tr>
                <th scope="row">
                  <Age at={entry.at} now={now} />
                </th>
                <td class="text">{entry.actor}</td>
                <td class="text">{whatWasDone(entry)}</td>
                <td class="text">{entry.state ?? 'done'}</td>
                <td class="text">{factsOf(entry.outcome)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    )}
  </section>
);

/** `refresh source fec`: the action and what it was about. */
export function whatWasDone({ action, detail }: AuditEntry): string {
  const about = Object.entries(detail).filter(([name]) => name !== 'request');
  return [action.replace(/^ops\./, ''), ...about.map(([name, value]) => `${name} ${plain(value)}`)].join(' ');
}

const factsOf = (outcome: AuditEntry['outcome']): string =>
  Object.entries(outcome ?? {})
    .filter(([, value]) => value !== null)
    .map(([name, value]) => (name === 'message' ? plain(value) : `${words(name)}: ${plain(value)}`))
    .join(', ');

const words = (name: string): string => name.replace(/([A-Z])/g, (letter) => ` ${letter.toLowerCase()}`);

function plain(value: unknown): string {
  if (Array.isArray(value)) return value.map(plain).join(', ');
  return typeof value === 'string' ? value : JSON.stringify(value);
}
