import { dayOfYear, daysInYear, yearOf } from '@donorlens/primitives';
import { type Release } from '@donorlens/reference-data';
import { type VNode } from 'preact';
import { type DonorAges } from '../../charts/donor-series';
import { type AgeAnswer } from '../../lookups/age-gender-results';
import { lookupPath, MAX_COMPARED_NAMES, type PageContext } from '../../lookups/lookup-pages';
import { AgesChart, NARROW_WIDTH, panelsOf, WIDE_WIDTH, GROUP_YEARS } from '../charts/ages/ages-chart';
import { AgesData } from '../charts/chart-data';
import { type HeadlinePart, HeadlineText, joinParts, plain, strong, textOf } from '../layout/headline';
import { count, longDate, sexShare } from '../layout/labels';
import { Layout, ReleaseLine, renderPage, SampleNotice } from '../layout/layout';
import { EmptyChart, standalone, WideAndNarrow } from '../layout/picture';

/** Page that compares up to four first names at one date. */
export const renderNamesPage = (answers: readonly AgeAnswer[], release: Release, reader: PageContext): string =>
  renderPage(<NamesPage answers={answers} release={release} reader={reader} />);

interface PageProps {
  readonly answers: readonly AgeAnswer[];
  readonly release: Release;
  readonly reader: PageContext;
}

function NamesPage({ answers, release, reader }: PageProps): VNode {
  const headline = namesHeadline(answers);
  return (
    <Layout title={textOf(headline)} user={reader.user} section="/#names" scripts={['search', 'charts']}>
      <p class="eyebrow">Ages by first name</p>
      <HeadlineText parts={headline} />
      <p class="lede">Median age of {peopleOf(answers)}.</p>
      {release.label === 'sample' && <SampleNotice />}
      <Figure answers={answers} title={textOf(headline)} />
      <p class="files">
        Download: <a href={namesUrl(answers, reader, 'csv')}>CSV</a> ·{' '}
        <a href={namesUrl(answers, reader, 'svg')}>SVG</a>
      </p>
      <Names answers={answers} reader={reader} />
      <RemoveLinks answers={answers} reader={reader} />
      <CompareForm answers={answers} reader={reader} />
      <footer class="method">
        <h2>Method</h2>
        <p>
          Shares of living people with each name by five-year age group, from birth records and life tables: see{' '}
          <a href="/guide/method#age-and-gender">the method</a>. <ReleaseLine release={release} />.
        </p>
      </footer>
    </Layout>
  );
}

/** `people aged 18 or older living on July 1, 2017`. */
const peopleOf = ([{ minAge, on }]: readonly AgeAnswer[]): string =>
  `people${minAge > 0 ? ` aged ${minAge} or older` : ''} living on ${longDate(on)}`;

interface Aged {
  readonly name: string;
  readonly median: number;
}

/** The finding about which name is the oldest, in one sentence. */
export function namesHeadline(answers: readonly AgeAnswer[]): HeadlinePart[] {
  const aged = answers
    .flatMap(({ name, distribution }): Aged[] =>
      distribution === null || distribution.median === null ? [] : [{ name, median: distribution.median }],
    )
    .sort((a, b) => b.median - a.median);
  const [oldest, youngest] = [aged[0], aged[aged.length - 1]];
  if (oldest === undefined)
    return answers.every(({ distribution }) => distribution === null)
      ? [plain(`These names are not in ${answers[0].records}`)]
      : [plain('No living people are expected to have these names')];
  if (oldest === youngest) return [strong(oldest.name), plain(' has a median age of '), strong(String(oldest.median))];
  if (oldest.median === youngest.median)
    return [...joinParts(aged.map(({ name }) => [strong(name)])), plain(` have the same median age, ${oldest.median}`)];
  if (aged.length === 2)
    return [
      strong(oldest.name),
      plain(' is older than '),
      strong(youngest.name),
      plain(`: median age ${oldest.median} and ${youngest.median}`),
    ];
  return [
    plain(`Of ${aged.length} names, `),
    strong(oldest.name),
    plain(` is the oldest (median ${oldest.median}), `),
    strong(youngest.name),
    plain(` the youngest (${youngest.median})`),
  ];
}

/**
 * Expected living people by age in completed years, starting with 0. Births are spread evenly over a year, so on the
 * date only a part of each birth year has had its birthday.
 */
export function livingByAge({ on, minAge, distribution }: Pick<AgeAnswer, 'on' | 'minAge' | 'distribution'>): number[] {
  const living: number[] = [];
  const had = (dayOfYear(on) + 0.5) / daysInYear(yearOf(on));
  for (const { year, livingM, livingF } of distribution?.cohorts ?? []) {
    const [people, age] = [livingM + livingF, yearOf(on) - year];
    if (age < 0 || people === 0) continue;
    const isYoungest = age - 1 < minAge; // younger people are not counted
    living[age] = (living[age] ?? 0) + people * (isYoungest ? 1 : had);
    if (!isYoungest) living[age - 1] = (living[age - 1] ?? 0) + people * (1 - had);
  }
  return Array.from(living, (people) => people ?? 0);
}

/** Minimum share of the living: older ages below it have no visible bar, but would lengthen the axis. */
const MIN_SHARE = 0.0005;

/** Number of ages up to the group of the oldest one that is visible. */
function visibleAges(living: readonly number[]): number {
  const least = MIN_SHARE * living.reduce((sum, people) => sum + people, 0);
  return Math.ceil((living.findLastIndex((people) => people > least) + 1) / GROUP_YEARS) * GROUP_YEARS;
}

/** Converts the names to the input of the histograms, all up to the oldest age that is visible for one of them. */
function partsOf(answers: readonly AgeAnswer[]): DonorAges[] {
  const inRecords = answers.filter(({ distribution }) => distribution !== null);
  const living = inRecords.map(livingByAge);
  const end = Math.max(0, ...living.map(visibleAges));
  return inRecords.map((answer, at) => {
    const { median, q25, q75 } = answer.distribution!;
    const donors = living[at].slice(0, end);
    const middle = median === null ? null : { q25: q25!, median, q75: q75! };
    const known = answer.distribution!.livingM + answer.distribution!.livingF;
    return { cycle: yearOf(answer.on), id: answer.name, donors, known, unknown: 0, middle };
  });
}

function chartProps(answers: readonly AgeAnswer[]) {
  const parts = partsOf(answers);
  return {
    parts,
    names: parts.map(({ id }) => id),
    sizes: parts.map(({ known }) => `${count(known)} living`),
    description: `Share of living people by five-year age group. ${parts
      .map(({ id, middle }) => `${id}: ${middle ? `median ${middle.median}` : 'none living'}`)
      .join('; ')}.`,
  };
}

function Figure({ answers, title }: { readonly answers: readonly AgeAnswer[]; readonly title: string }): VNode | null {
  const { parts, names, ...shared } = chartProps(answers);
  if (parts.length === 0) return null;
  return (
    <figure>
      <WideAndNarrow
        wide={WIDE_WIDTH}
        narrow={NARROW_WIDTH}
        draw={(id, width) => <AgesChart {...shared} parts={parts} names={names} title={title} id={id} width={width} />}
      />
      <figcaption>Share of living people with the name in each five-year age group. The line is the median.</figcaption>
      <AgesData parts={parts} names={names} frame={panelsOf(parts, WIDE_WIDTH).frames[0]} people="people" />
    </figure>
  );
}

/** The histograms as an SVG file. */
export function standaloneNames(answers: readonly AgeAnswer[], release: Release): string {
  const title = textOf(namesHeadline(answers));
  const origin = release.label === 'sample' ? 'Synthetic sample' : 'Source: Social Security Administration';
  const props = chartProps(answers);
  const isEmpty = props.parts.length === 0;
  const chart = <AgesChart {...props} id="names" title={title} width={WIDE_WIDTH} />;
  return standalone(isEmpty ? <EmptyChart title={title} /> : chart, {
    title,
    source: `${origin}; donorlens, data release ${release.id}. Ages of ${peopleOf(answers)}.`,
  });
}

/** URL of the page or file that compares the first of these names with the others. */
function namesUrl(
  answers: readonly Pick<AgeAnswer, 'name' | 'date' | 'minAge'>[],
  { apiKey }: PageContext,
  format = 'html',
): string {
  const [{ name, date, minAge }, ...others] = answers;
  return lookupPath(['age_gender', 'name', name, 'date', date], {
    compare: others.map((other) => other.name),
    format,
    ...(minAge > 0 && { min_age: String(minAge) }),
    apiKey,
  });
}

function Names({ answers, reader }: Omit<PageProps, 'release'>): VNode {
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label="Median age, interquartile range, living and gender">
      <table class="names">
        <thead>
          <tr>
            {['Name', 'Median', 'Interquartile range', 'Living', 'Female (share of living)'].map((label) => (
              <th scope="col">{label}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {answers.map((answer) => (
            <NameRow answer={answer} reader={reader} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** Below the table, which is wider than a phone. */
const RemoveLinks = ({ answers, reader }: Omit<PageProps, 'release'>): VNode => (
  <p>
    Remove:{' '}
    {answers.map((answer, at) => (
      <>
        {at > 0 && ' · '}
        <a href={namesUrl(answers.toSpliced(at, 1), reader)} aria-label={`Remove ${answer.name}`}>
          <bdi>{answer.name}</bdi>
        </a>
      </>
    ))}
  </p>
);

interface RowProps {
  readonly answer: AgeAnswer;
  readonly reader: PageContext;
}

function NameRow({ answer, reader }: RowProps): VNode {
  const { name, distribution, records } = answer;
  const living = distribution === null ? 0 : distribution.livingM + distribution.livingF;
  return (
    <tr>
      <th scope="row">
        <a href={namesUrl([answer], reader)}>
          <bdi>{name}</bdi>
        </a>
        {distribution === null && ` is not in ${records}`}
      </th>
      <td>{distribution?.median}</td>
      <td>{distribution && distribution.median !== null && `${distribution.q25} to ${distribution.q75}`}</td>
      <td>{distribution && count(living)}</td>
      <td>{distribution && living > 0 && sexShare(distribution.livingF / living)}</td>
    </tr>
  );
}

type CompareFormProps = Pick<PageProps, 'reader'> & {
  readonly answers: readonly Pick<AgeAnswer, 'name' | 'date' | 'minAge'>[];
};

/** Form to add a name to the comparison. */
export function CompareForm({ answers, reader: { apiKey } }: CompareFormProps): VNode | null {
  const [{ name, date, minAge }, ...others] = answers;
  if (answers.length >= MAX_COMPARED_NAMES)
    return <p class="quiet">Maximum of {MAX_COMPARED_NAMES} names reached. Remove one to add another.</p>;
  const hidden = { name, date, ...(minAge > 0 && { min_age: minAge }), ...(apiKey !== undefined && { apiKey }) };
  return (
    <form
      class="search"
      method="get"
      action="/enrich/v1/age_gender/ask"
      data-suggest="/search/suggestions?kind=name"
      data-pick="compare"
    >
      {Object.entries(hidden).map(([field, value]) => (
        <input type="hidden" name={field} value={value} />
      ))}
      {others.map((other) => (
        <input type="hidden" name="compare" value={other.name} />
      ))}
      <label>
        Compare with the first name
        <input type="search" name="compare" maxLength={200} required autocomplete="off" />
      </label>
      <button type="submit">Compare</button>
    </form>
  );
}
