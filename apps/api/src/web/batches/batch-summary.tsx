import { type VNode } from 'preact';
import { type BatchSummary } from '@donorlens/batches';
import { GENDERS, count, percent } from '../layout/labels';
import { type DonorAges } from '../../charts/donor-series';
import { AgesChart, NARROW_WIDTH, WIDE_WIDTH } from '../charts/ages/ages-chart';
import { GROUPS } from '../ethnicity/ethnicity-labels';
import { BarChart, type BarValue, describeBars } from '../layout/bar-chart';
import { WideAndNarrow } from '../layout/picture';
import { KeyFigures } from '../layout/headline';

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
    <KeyFigures facts={facts(summary)} isTally />
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

/** More bars do not fit one screen. */
const MAX_BARS = 10;

/** Estimated ages, sex, ethnicity and places of the rows of a batch as pictures. */
function SummaryCharts({ summary }: { readonly summary: BatchSummary }): VNode {
  const { sex, ethnicity, states, counties, rows } = summary;
  const groups = ethnicity.map(({ value, people }) => ({ label: GROUPS[value as keyof typeof GROUPS], people }));
  return (
    <>
      {summary.ages.median !== null && <Ages summary={summary} />}
      <Bars id="sex" title="Sex" bars={barsOf(sex.map(({ value, people }) => ({ label: SEXES[value], people })))} />
      <Bars id="ethnicity" title="Ethnicity" bars={barsOf(groups.sort((a, b) => b.people - a.people))} />
      <Places
        id="states"
        title="States"
        rows={rows}
        places={states.map((one) => ({ label: one.value, people: one.rows }))}
      />
      <Places
        id="counties"
        title="Counties"
        rows={rows}
        places={counties.map((one) => ({ label: one.county, people: one.rows }))}
      />
    </>
  );
}

const SEXES: Readonly<Record<string, string>> = { f: capital(GENDERS.f), m: capital(GENDERS.m) };

function capital(label: string): string {
  return label[0].toUpperCase() + label.slice(1);
}

interface LabeledPeople {
  readonly label: string;
  readonly people: number;
}

interface PlacesProps extends Pick<BarsProps, 'id' | 'title'> {
  /** most rows first */
  readonly places: readonly LabeledPeople[];
  readonly rows: number;
}

/** The places with the most rows, as shares of all rows. */
const Places = ({ places, rows, ...bars }: PlacesProps): VNode => (
  <Bars
    {...bars}
    note={places.length > MAX_BARS ? `The ${MAX_BARS} ${bars.id} with the most rows.` : ''}
    bars={barsOf(places.slice(0, MAX_BARS), rows)}
  />
);

/** Bars of expected people or of rows, as shares of their sum or of all rows. */
function barsOf(values: readonly LabeledPeople[], all?: number): BarValue[] {
  const sum = all ?? values.reduce((total, { people }) => total + people, 0);
  return values.map(({ label, people }) => ({
    label,
    share: sum === 0 ? 0 : people / sum,
    figure: `${sum === 0 ? '0%' : percent(people / sum)} (${count(people)})`,
  }));
}

interface BarsProps {
  readonly id: string;
  readonly title: string;
  readonly note?: string;
  readonly bars: readonly BarValue[];
}

function Bars({ id, title, note = '', bars }: BarsProps): VNode | null {
  if (bars.length === 0) return null;
  return (
    <figure>
      <h3>{title}</h3>
      <BarChart id={id} title={title} description={describeBars(bars)} bars={bars} />
      {note !== '' && <figcaption>{note}</figcaption>}
    </figure>
  );
}

function Ages({ summary: { ages, first_names_known: known, rows } }: { readonly summary: BatchSummary }): VNode {
  const part = donorAges(ages);
  return (
    <figure>
      <h3>Ages</h3>
      <WideAndNarrow
        wide={WIDE_WIDTH}
        narrow={NARROW_WIDTH}
        draw={(size, width) => (
          <AgesChart
            id={`ages-${size}`}
            title="Estimated ages"
            description={`Share of people by five-year age group; the median is ${ages.median}.`}
            parts={[part]}
            names={['Adults in this file']}
            sizes={[`${count(known)} of ${count(rows)} first names known`]}
            width={width}
          />
        )}
      />
      <figcaption>
        Estimated from all first names together. The median is {ages.median}, with a 95% interval from {ages.median_low}{' '}
        to {ages.median_high}. The column AGE says less about the group: it ignores that donors are older than all
        people with their names.
      </figcaption>
    </figure>
  );
}

function donorAges({ distribution, median }: BatchSummary['ages']): DonorAges {
  const donors = Array<number>(distribution.length === 0 ? 0 : distribution[0].age).fill(0);
  donors.push(...distribution.map(({ people }) => people));
  const known = donors.reduce((sum, people) => sum + people, 0);
  return { cycle: 0, id: '', donors, known, unknown: 0, middle: { q25: median!, median: median!, q75: median! } };
}
