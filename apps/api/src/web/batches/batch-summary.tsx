import { type VNode } from 'preact';
import { type BatchSummary } from '@donorlens/batches';
import { type BatchType, counted } from '@donorlens/primitives';
import { GENDERS, capitalized, count, percent } from '../layout/labels';
import { type DonorAges } from '../../charts/donor-series';
import { AgesChart, NARROW_WIDTH, panelsOf, WIDE_WIDTH } from '../charts/ages/ages-chart';
import { AgesData } from '../charts/chart-data';
import { GROUPS } from '../ethnicity/ethnicity-labels';
import { BarChart, type BarValue, describeBars } from '../layout/bar-chart';
import { WideAndNarrow } from '../layout/picture';
import { KeyFigures } from '../layout/headline';

const shareOf = (part: number, all: number): string => (all === 0 ? '0%' : percent(part / all));
const dollars = (value: number): string => `$${count(value)}`;

interface SummaryProps {
  readonly summary: BatchSummary;
  readonly type: BatchType;
  /** URL of the summary as CSV. */
  readonly file: string;
}

/** Labels and values of the key figures of a batch. */
function facts({ summary, type }: Omit<SummaryProps, 'file'>) {
  const { rows, ages, sex, ethnicity, income, states } = summary;
  const people = sex.reduce((sum, one) => sum + one.people, 0);
  const female = sex.find(({ value }) => value === 'f');
  const named = ethnicity.reduce((sum, one) => sum + one.people, 0);
  const largest = [...ethnicity].sort((a, b) => b.people - a.people).at(0);
  const all: (readonly [string, string] | null)[] = [
    type === 'ethnicity' ? null : ['First names known', shareOf(summary.first_names_known, rows)],
    type === 'age_gender' ? null : ['Surnames known', shareOf(summary.surnames_known, rows)],
    ages.median === null
      ? null
      : ['Median age of adults (95% interval)', `${ages.median} (${ages.median_low}\u00a0to\u00a0${ages.median_high})`],
    female ? ['Female', shareOf(female.people, people)] : null,
    largest ? [`Largest group: ${groupOf(largest.value)}`, shareOf(largest.people, named)] : null,
    income.median === null ? null : ['Median county income', dollars(income.median)],
    states.length === 0
      ? null
      : [`Largest state, of rows with a county: ${states[0].value}`, shareOf(states[0].rows, locatedRows(summary))],
  ];
  return all.filter((fact) => fact !== null);
}

/** Rows with a known county. */
const locatedRows = ({ states }: BatchSummary): number => states.reduce((sum, { rows }) => sum + rows, 0);

const groupOf = (value: string): string => GROUPS[value as keyof typeof GROUPS];

/** A completed batch in numbers, and the share of rows that have a value in each added column. */
export const Summary = ({ summary, type, file }: SummaryProps): VNode => (
  <section id="summary">
    <h2>Summary</h2>
    <KeyFigures facts={facts({ summary, type })} isCompact />
    <UnreliableAges {...summary.ages} />
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

/** Only 0.03% of US adults are older. */
const OLD_AGE = 100;
/**
 * A larger share of older people is not plausible: the group is too small, or its names are not those of US adults. For
 * random donors of an FEC file, 13% of groups of 30, 5% of groups of 100, and no group of 1,000 exceed the share.
 */
const MAX_OLD_SHARE = 0.02;

/** Warns if the estimate is implausible for US adults. */
function UnreliableAges({ distribution }: BatchSummary['ages']): VNode | null {
  const peopleFrom = (least: number): number =>
    distribution.reduce((sum, { age, people }) => (age >= least ? sum + people : sum), 0);
  const old = peopleFrom(OLD_AGE + 1);
  const all = peopleFrom(0);
  if (old <= MAX_OLD_SHARE * all) return null;
  return (
    <p class="notice">
      These ages are unreliable, because {percent(old / all)} of the people would be over {OLD_AGE}: the first names are
      too few or do not fit adults in the United States.
    </p>
  );
}

/** More bars do not fit one screen. */
const MAX_BARS = 10;

/** Estimated ages, genders, ethnicity and places of the rows of a batch as pictures. */
function SummaryCharts({ summary }: { readonly summary: BatchSummary }): VNode {
  const { sex, ethnicity, states, counties } = summary;
  const located = locatedRows(summary);
  const groups = ethnicity.map(({ value, people }) => ({ label: groupOf(value), people }));
  return (
    <>
      {summary.ages.median !== null && <Ages summary={summary} />}
      <Bars
        id="sex"
        title="Gender"
        note="Expected number of people in parentheses, from rows with a known first name and a date."
        bars={barsOf(sex.map(({ value, people }) => ({ label: SEXES[value], people })))}
      />
      <Bars
        id="ethnicity"
        title="Ethnicity"
        note="Expected number of people in parentheses, from all known surnames."
        bars={barsOf(groups.sort((a, b) => b.people - a.people))}
      />
      <Places
        id="states"
        title="States"
        rows={located}
        places={states.map((one) => ({ label: one.value, people: one.rows }))}
      />
      <Places
        id="counties"
        title="Counties"
        rows={located}
        places={counties.map((one) => ({ label: `${one.county}, ${one.state}`, people: one.rows }))}
      />
    </>
  );
}

const SEXES: Readonly<Record<string, string>> = { f: capitalized(GENDERS.f), m: capitalized(GENDERS.m) };

interface LabeledPeople {
  readonly label: string;
  readonly people: number;
}

interface PlacesProps extends Pick<BarsProps, 'id' | 'title'> {
  /** most rows first */
  readonly places: readonly LabeledPeople[];
  /** Rows with a known county. */
  readonly rows: number;
}

/** The places with the most rows, as shares of the rows with a known county. */
const Places = ({ places, rows, ...bars }: PlacesProps): VNode => (
  <Bars
    {...bars}
    note={`Share of the ${counted(rows, 'row')} with a known county, with the number of rows in parentheses. ${
      places.length > MAX_BARS ? `The ${MAX_BARS} ${bars.id} with the most rows.` : ''
    }`}
    bars={barsOf(places.slice(0, MAX_BARS), rows)}
  />
);

/** Bars of expected people or of rows, as shares of their sum or of `all`. */
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
  readonly note: string;
  readonly bars: readonly BarValue[];
}

function Bars({ id, title, note, bars }: BarsProps): VNode | null {
  if (bars.length === 0) return null;
  return (
    <figure>
      <h3>{title}</h3>
      <BarChart id={id} title={title} description={describeBars(bars)} bars={bars} />
      <figcaption>{note}</figcaption>
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
        to {ages.median_high}. The column AGE says less about the group: it has one age for each row, while people with
        the same name have many ages.
      </figcaption>
      <AgesData
        parts={[part]}
        names={['Adults in this file']}
        people="people"
        frame={panelsOf([part], WIDE_WIDTH).frames[0]}
      />
    </figure>
  );
}

function donorAges({ distribution, median }: BatchSummary['ages']): DonorAges {
  const donors = Array<number>(distribution.length === 0 ? 0 : distribution[0].age).fill(0);
  donors.push(...distribution.map(({ people }) => people));
  const known = donors.reduce((sum, people) => sum + people, 0);
  return { cycle: 0, id: '', donors, known, unknown: 0, middle: { q25: median!, median: median!, q75: median! } };
}
