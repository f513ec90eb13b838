import { type VNode } from 'preact';
import { type AboutFacts } from '../data-charts/about-facts';
import { count, isoDay, LABELS } from './words';

/** Which cycles are loaded, and until when. */
export function AboutCoverage({ facts }: { readonly facts: AboutFacts }): VNode {
  const cycles = [...new Set([...facts.masters, ...facts.cycles].map(({ cycle }) => cycle))].sort();
  return (
    <section id="coverage">
      <h2>What is loaded</h2>
      {cycles.length === 0 ? (
        <p>Nothing yet.</p>
      ) : (
        <div class="scroll" tabIndex={0} role="region" aria-label="What is loaded by cycle">
          <table>
            <thead>
              <tr>
                <th scope="col">Cycle</th>
                <th scope="col">Data</th>
                <th scope="col">Candidates</th>
                <th scope="col">Committees</th>
                <th scope="col">Contributions</th>
                <th scope="col">Dollars</th>
                <th scope="col">Until</th>
              </tr>
            </thead>
            <tbody>
              {cycles.map((cycle) => (
                <CycleRow cycle={cycle} facts={facts} />
              ))}
            </tbody>
          </table>
        </div>
      )}
      <p class="quiet">
        A cycle is two years, named for the even one that ends it: 2020 is January 2019 to December 2020. Candidates and
        committees are those on file; contributions are those that add money, dollars are net of refunds.
        {facts.builtAt !== null && ` Counted ${isoDay(facts.builtAt)}.`}
      </p>
      {facts.nearestLinkages.length > 0 && (
        <p class="quiet">
          {count(facts.nearestLinkages.length)} committees have no linkage in a cycle in which money came in; the
          nearest cycle that has one says whose they are:{' '}
          {facts.nearestLinkages.slice(0, 5).map(({ committeeId, cycle, linkageCycle }, at) => (
            <>
              {at > 0 && ', '}
              <code>{committeeId}</code> in {cycle} as in {linkageCycle}
            </>
          ))}
          {facts.nearestLinkages.length > 5 && ', …'}.
        </p>
      )}
    </section>
  );
}

function CycleRow({ cycle, facts }: { readonly cycle: number; readonly facts: AboutFacts }): VNode {
  const masters = facts.masters.find((one) => one.cycle === cycle);
  const charts = facts.cycles.find((one) => one.cycle === cycle);
  const label = masters?.label ?? facts.imports.files.find((one) => one.cycle === cycle)?.label;
  return (
    <tr>
      <th scope="row">{cycle}</th>
      <td>{label === undefined ? '' : LABELS[label]}</td>
      <td>{count(masters?.candidates ?? charts?.candidates ?? 0)}</td>
      <td>{count(masters?.committees ?? charts?.committees ?? 0)}</td>
      <td>{count(charts?.contributions ?? 0)}</td>
      <td>{count(Math.round((charts?.amountCents ?? 0) / 100))}</td>
      <td>{charts?.newestOn ?? ''}</td>
    </tr>
  );
}
