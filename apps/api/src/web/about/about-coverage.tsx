import { type NearDuplicates } from '@donorlens/charts';
import { counted } from '@donorlens/primitives';
import { type VNode } from 'preact';
import { type AboutFacts } from '../../charts/about-facts';
import { ImportCommand } from '../charts/data-notices';
import { count, isoDay, DATA_ORIGIN_LABELS, percent } from '../layout/labels';

/** Loaded cycles, with the date of the latest contribution. */
export function AboutCoverage({ facts }: { readonly facts: AboutFacts }): VNode {
  const cycles = [...new Set([...facts.masters, ...facts.cycles].map(({ cycle }) => cycle))].sort();
  return (
    <section id="coverage">
      <h2>Loaded data</h2>
      {cycles.length === 0 ? (
        <p>
          No data is loaded yet. Load a cycle: <ImportCommand />
        </p>
      ) : (
        <div class="scroll" tabIndex={0} role="region" aria-label="Loaded data by cycle">
          <table>
            <thead>
              <tr>
                <th scope="col">Cycle</th>
                <th scope="col">Source</th>
                <th scope="col">Candidates</th>
                <th scope="col">Committees</th>
                <th scope="col">Contributions</th>
                <th scope="col">Amount ($)</th>
                <th scope="col">Latest</th>
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
        A cycle is two years and is named for the even one that ends it: 2020 is January 2019 to December 2020. The
        contributions are those that count as money; amounts are net of refunds.
        {facts.builtAt !== null && ` Updated ${isoDay(facts.builtAt)}.`}
      </p>
      {facts.unlinked.length > 0 && (
        <p class="quiet">
          {counted(new Set(facts.unlinked.map(({ committeeId }) => committeeId)).size, 'committee')} received money in a
          cycle without a linkage to a candidate. The money counts only in the charts of the committee:{' '}
          {facts.unlinked.slice(0, 5).map(({ committeeId, cycle }, at) => (
            <>
              {at > 0 && ', '}
              <code>{committeeId}</code> in {cycle}
            </>
          ))}
          {facts.unlinked.length > 5 && ` and ${count(facts.unlinked.length - 5)} more`}.
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
      <td>{label === undefined ? '' : DATA_ORIGIN_LABELS[label]}</td>
      <td>{count(masters?.candidates ?? charts?.candidates ?? 0)}</td>
      <td>{count(masters?.committees ?? charts?.committees ?? 0)}</td>
      <td>{count(charts?.contributions ?? 0)}</td>
      <td>{count(Math.round((charts?.amountCents ?? 0) / 100))}</td>
      <td>{charts?.newestOn ?? ''}</td>
    </tr>
  );
}

/** Number of donors with a coarser donor key. */
export function AboutSensitivity({ facts: { cycles, donorKeyVersion } }: { readonly facts: AboutFacts }): VNode {
  const measured = cycles.filter(({ sensitivity }) => sensitivity !== null && sensitivity.donors > 0);
  return (
    <section id="donor-key">
      <h2>Sensitivity to the donor key</h2>
      <p>
        The FEC does not number donors, so a donor is identified by name and ZIP code. A coarser key of surname, first
        initial and ZIP code also joins Bob and Barbara of one household. If both counts agree, the choice of the key
        matters little. Near-duplicates are donors with the same ZIP code whose names differ by a nickname, an initial
        or one typo. They are counted as different donors. The table covers donors of presidential candidates: the first
        two numbers count a donor once for each candidate, pairs once in a cycle.
        {donorKeyVersion !== null && ` These charts use version ${donorKeyVersion} of the donor key.`}
      </p>
      {measured.length > 0 && (
        <div class="scroll" tabIndex={0} role="region" aria-label="Donors by key">
          <table>
            <thead>
              <tr>
                <th scope="col">Cycle</th>
                <th scope="col">Donors</th>
                <th scope="col">Coarser key</th>
                <th scope="col">Difference</th>
                <th scope="col">Near-duplicate pairs</th>
                <th scope="col">Donors in pairs</th>
              </tr>
            </thead>
            <tbody>
              {measured.map(({ cycle, sensitivity }) => (
                <tr>
                  <th scope="row">{cycle}</th>
                  <td>{count(sensitivity?.donors ?? 0)}</td>
                  <td>{count(sensitivity?.donorsByCoarserKey ?? 0)}</td>
                  <td>{percent(1 - (sensitivity?.donorsByCoarserKey ?? 0) / (sensitivity?.donors ?? 1))}</td>
                  <NearDuplicateCells found={sensitivity?.nearDuplicates} />
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  );
}

/** Number of pairs, and share of the cycle's donors that are in pairs. */
const NearDuplicateCells = ({ found }: { readonly found: NearDuplicates | undefined }): VNode => (
  <>
    <td>{found && count(found.pairs)}</td>
    <td>{found && percent(found.pairedDonors / found.donors)}</td>
  </>
);
