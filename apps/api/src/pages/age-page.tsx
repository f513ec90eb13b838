import { type AgeDistribution } from '@donorlens/demographics';
import { yearOf } from '@donorlens/primitives';
import { type Release } from '@donorlens/reference-data';
import { type VNode } from 'preact';
import { type AgeAnswer } from '../lookups/age-answer';
import { AgeChart } from './age-chart';
import { AskForm } from './ask-form';
import { NARROW, WIDE } from './chart-frame';
import { chartData } from './chart-geometry';
import { headline, headlineParts } from './headline';
import { Layout, renderPage } from './layout';
import { SampleNotice } from './sample-notice';
import { count, longDate } from './words';

interface PageProps {
  readonly answer: AgeAnswer;
  readonly release: Release;
  /** The reader's key, where it came in the URL: links and form carry it on. */
  readonly apiKey: string | undefined;
}

/** Endpoint 2 for people: the finding as a sentence, as a picture, as numbers and as a table. */
export const renderAgePage = (answer: AgeAnswer, release: Release, apiKey: string | undefined): string =>
  renderPage(<AgePage answer={answer} release={release} apiKey={apiKey} />);

function AgePage({ answer, release, apiKey }: PageProps): VNode {
  const { distribution } = answer;
  return (
    <Layout title={answer.name.trim() || 'Age and gender'}>
      <p class="eyebrow">Age and gender by first name</p>
      <h1 class="headline">
        {headlineParts(answer).map(({ text, strong }) =>
          strong ? (
            <strong>
              <bdi>{text}</bdi>
            </strong>
          ) : (
            text
          ),
        )}
      </h1>
      {release.label === 'sample' && <SampleNotice />}
      {distribution && (
        <>
          <Charts answer={answer} distribution={distribution} />
          <Numbers answer={answer} distribution={distribution} />
          <BirthYears answer={answer} distribution={distribution} />
        </>
      )}
      <Files answer={answer} apiKey={apiKey} />
      <section>
        <h2>Ask for another name</h2>
        <AskForm name={answer.name} date={answer.date} minAge={answer.minAge} apiKey={apiKey} />
      </section>
      <Method release={release} />
    </Layout>
  );
}

/** Fewer years of birth make no curve; the table has them. */
const FEWEST_POINTS = 2;

interface KnownProps {
  readonly answer: AgeAnswer;
  readonly distribution: AgeDistribution;
}

function Charts({ answer, distribution }: KnownProps): VNode | null {
  const data = chartData(distribution, answer.on);
  if (data.points.length < FEWEST_POINTS) return null;
  const { median, q25, q75 } = distribution;
  const middle = median === null ? '' : ` Half of the living are from ${q25} to ${q75} years old.`;
  const shared = {
    data,
    ages: { median, q25, q75 },
    title: headline(answer),
    description: `By year of birth: how many were given the name, as a line, and how many of them still live, as an area.${middle}`,
  };
  return (
    <figure>
      <div class="wide">
        <AgeChart {...shared} id="wide" size={WIDE} />
      </div>
      <div class="narrow">
        <AgeChart {...shared} id="narrow" size={NARROW} />
      </div>
      <figcaption>
        Children given the name each year (line) and those of them expected to be living on {longDate(answer.on)}
        {answer.minAge > 0 && `, aged ${answer.minAge} or more`} (area).
      </figcaption>
    </figure>
  );
}

function Numbers({ answer, distribution }: KnownProps): VNode {
  const { median, q25, q75, livingM, livingF, bornM, bornF, cohorts } = distribution;
  const peak = cohorts.reduce(
    (best, one) => (one.bornM + one.bornF > best.bornM + best.bornF ? one : best),
    cohorts[0],
  );
  const facts: [string, string][] = [
    ['Median age', median === null ? 'none' : String(median)],
    ['Middle half', q25 === null || q75 === null ? 'none' : `${q25} to ${q75}`],
    [answer.minAge > 0 ? `Living, ${answer.minAge} or older` : 'Living', count(livingM + livingF)],
    ['Of them women', count(livingF)],
    ['Given the name, all years', count(bornM + bornF)],
    ['Most in one year', `${count(peak.bornM + peak.bornF)} (${peak.year})`],
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

function BirthYears({ answer, distribution }: KnownProps): VNode {
  const last = yearOf(answer.on);
  const rows = distribution.cohorts.filter(({ year, bornM, bornF }) => year <= last && bornM + bornF > 0);
  return (
    <details>
      <summary>The numbers behind the chart ({rows.length} birth years)</summary>
      <div class="scroll">
        <table>
          <thead>
            <tr>
              {['Year of birth', 'Born male', 'Born female', 'Living male', 'Living female'].map((column) => (
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

/** The same address in another format. */
function Files({ answer, apiKey }: Pick<PageProps, 'answer' | 'apiKey'>): VNode {
  const path = `/enrich/v1/age_gender/name/${encodeURIComponent(answer.name)}/date/${answer.date}`;
  const link = (format: string): string => {
    const query = new URLSearchParams({ format });
    if (format === 'json') query.set('detail', 'true');
    if (answer.minAge > 0) query.set('min_age', String(answer.minAge));
    if (apiKey !== undefined) query.set('apiKey', apiKey);
    return `${path}?${query}`;
  };
  return (
    <p class="files">
      This answer as <a href={link('json')}>JSON</a> · <a href={link('csv')}>CSV</a> · <a href={link('svg')}>SVG</a>
    </p>
  );
}

function Method({ release }: Pick<PageProps, 'release'>): VNode {
  return (
    <footer class="method">
      <h2>How this is estimated</h2>
      <p>
        The national birth records count the children given each name, by sex and year, where there were at least five.
        Actuarial life tables tell which share of each year&rsquo;s children still live on the date asked, with a death
        rate that is smoothed by the day. The age is the median of those living; the gender is the sex more often given
        the name.
      </p>
      <p>
        Data release <code>{release.id}</code> ({release.label}), births of {release.firstDataYear} to{' '}
        {release.lastDataYear}. An estimate for a group says little about one person.
      </p>
    </footer>
  );
}
