import { type VNode } from 'preact';
import { type AboutFacts } from '../data-charts/about-facts';
import { count, percent } from './words';

/** How many donors there would be if they were told apart in a coarser way. */
export function AboutSensitivity({ facts: { cycles, donorKeyVersion } }: { readonly facts: AboutFacts }): VNode {
  const measured = cycles.filter(({ sensitivity }) => sensitivity !== null && sensitivity.donors > 0);
  return (
    <section id="donor-key">
      <h2>How much the donor key matters</h2>
      <p>
        Nobody numbers donors, so a name and a ZIP have to do. A coarser key, surname with first initial and ZIP, also
        joins Bob and Barbara of one household. Where the two agree, the key matters little.
        {donorKeyVersion !== null && ` Donors of these charts are told apart by version ${donorKeyVersion} of the key.`}
      </p>
      {measured.length > 0 && (
        <div class="scroll" tabIndex={0} role="region" aria-label="Donors by either key">
          <table>
            <thead>
              <tr>
                <th scope="col">Cycle</th>
                <th scope="col">Donors</th>
                <th scope="col">Coarser key</th>
                <th scope="col">Fewer by</th>
              </tr>
            </thead>
            <tbody>
              {measured.map(({ cycle, sensitivity }) => (
                <tr>
                  <th scope="row">{cycle}</th>
                  <td>{count(sensitivity?.donors ?? 0)}</td>
                  <td>{count(sensitivity?.donorsByCoarserKey ?? 0)}</td>
                  <td>{percent(1 - (sensitivity?.donorsByCoarserKey ?? 0) / (sensitivity?.donors ?? 1))}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  );
}
