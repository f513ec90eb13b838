import { type CycleCoverage } from '@donorlens/charts';
import { type VNode } from 'preact';
import { count, percent } from './words';

/** How many donors there would be if they were told apart in a coarser way. */
export function AboutSensitivity({ cycles }: { readonly cycles: readonly CycleCoverage[] }): VNode {
  const measured = cycles.filter(({ sensitivity }) => sensitivity !== null && sensitivity.donors > 0);
  return (
    <section id="donor-key">
      <h2>How much the donor key matters</h2>
      <p>
        Nobody numbers donors, so a name and a ZIP have to do (key version 1). A coarser key, surname with first initial
        and ZIP (version 2), also joins Bob and Barbara of one household. Where the two agree, the key matters little.
      </p>
      {measured.length > 0 && (
        <div class="scroll">
          <table>
            <thead>
              <tr>
                <th scope="col">Cycle</th>
                <th scope="col">Donors, version 1</th>
                <th scope="col">Version 2</th>
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
