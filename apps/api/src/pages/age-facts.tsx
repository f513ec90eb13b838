import { yearOf } from '@donorlens/primitives';
import { type VNode } from 'preact';
import { type KnownProps } from './age-figures';
import { count, sexShare } from './words';

/** The finding in numbers. */
export function AgeNumbers({ answer, distribution }: KnownProps): VNode {
  const { median, q25, q75, livingM, livingF, bornM, bornF, cohorts } = distribution;
  const living = livingM + livingF;
  const peak = cohorts.reduce(
    (best, one) => (one.bornM + one.bornF > best.bornM + best.bornF ? one : best),
    cohorts[0],
  );
  const facts: [string, string][] = [
    ['Median age', median === null ? 'none' : String(median)],
    ['Middle half', q25 === null || q75 === null ? 'none' : `${q25} to ${q75}`],
    [answer.minAge > 0 ? `Living, ${answer.minAge} or older` : 'Living', count(living)],
    ['Of them female', living > 0 ? sexShare(livingF / living) : 'none'],
    ['Given the name, all years', count(bornM + bornF)],
    [`Most in one year, ${peak.year}`, count(peak.bornM + peak.bornF)],
  ];
  return (
    <dl class="numbers">
      {facts.map(([term, value]) => (
        <div>
          <dt>{term}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

const COLUMNS = ['Year of birth', 'Born male', 'Born female', 'Living male', 'Living female'];

export function BirthYears({ answer, distribution }: KnownProps): VNode {
  const last = yearOf(answer.on);
  const rows = distribution.cohorts.filter(({ year, bornM, bornF }) => year <= last && bornM + bornF > 0);
  return (
    <details>
      <summary>The numbers behind the chart ({rows.length} birth years)</summary>
      <div class="scroll" tabIndex={0} role="region" aria-label="Births and living by year of birth">
        <table>
          <thead>
            <tr>
              {COLUMNS.map((column) => (
                <th scope="col">{column}</th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map(({ year, bornM, bornF, livingM, livingF }) => (
              <tr>
                <th scope="row">{year}</th>
                {[bornM, bornF, livingM, livingF].map((people) => (
                  <td>{count(people)}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  );
}
