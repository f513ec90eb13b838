import { type BatchSummary } from '@donorlens/batches';
import { type VNode } from 'preact';
import { count, percent } from '../layout/labels';
import { SummaryCharts } from './batch-summary-charts';

const shareOf = (part: number, all: number): string => (all === 0 ? '0%' : percent(part / all));
const dollars = (value: number): string => `$${count(value)}`;

/** Labels and values of what is known of a batch as a whole. */
function facts({ rows, ages, sex, ethnicity, income, states, ...known }: BatchSummary): [string, string][] {
  const people = sex.reduce((sum, one) => sum + one.people, 0);
  const named = ethnicity.reduce((sum, one) => sum + one.people, 0);
  const largest = [...ethnicity].sort((a, b) => b.people - a.people).at(0);
  return [
    ['First names known', shareOf(known.first_names_known, rows)],
    ['Surnames known', shareOf(known.surnames_known, rows)],
    ...(ages.median === null
      ? []
      : ([['Median age of adults', `${ages.median} (${ages.median_low} to ${ages.median_high})`]] as [
          string,
          string,
        ][])),
    ...sex.filter(({ value }) => value === 'f').map((one): [string, string] => ['Women', shareOf(one.people, people)]),
    ...(largest ? ([[`Largest group: ${largest.value}`, shareOf(largest.people, named)]] as [string, string][]) : []),
    ...(income.median === null ? [] : ([['Median county income', dollars(income.median)]] as [string, string][])),
    ...states.slice(0, 1).map((one): [string, string] => [`Most rows: ${one.value}`, shareOf(one.rows, rows)]),
  ];
}

/** A completed batch in numbers, and the share of rows that have a value in each added column. */
export const Summary = ({ summary, file }: { readonly summary: BatchSummary; readonly file: string }): VNode => (
  <section id="summary">
    <h2>Summary</h2>
    <dl class="numbers tally">
      {facts(summary).map(([label, value]) => (
        <div>
          <dt>{label}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
    <SummaryCharts summary={summary} />
    <h3 id="filled">Filled columns</h3>
    <div class="scroll shares" tabIndex={0} role="region" aria-label="Rows with a value by column">
      <table>
        <thead>
          <tr>
            <th scope="col">Column</th>
            <th scope="col">Rows with a value</th>
            <th scope="col">Share</th>
          </tr>
        </thead>
        <tbody>
          {summary.filled.map(({ column, rows, fill_rate: share }) => (
            <tr>
              <th scope="row">{column}</th>
              <td>{count(rows)}</td>
              <td>{percent(share)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
    <p>
      <a href={file}>Download the summary</a>
    </p>
  </section>
);
