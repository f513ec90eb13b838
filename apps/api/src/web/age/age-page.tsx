import { type Release } from '@donorlens/reference-data';
import { type VNode } from 'preact';
import { counted, yearOf } from '@donorlens/primitives';
import { SMALL_GROUP } from '../../charts/donor-series';
import { type AgeAnswer } from '../../lookups/age-gender-results';
import { type PageContext, lookupPath } from '../../lookups/lookup-pages';
import { KeyFigures, HeadlineText } from '../layout/headline';
import { AGE_ERROR_YEARS, count, isoDay, sexShare } from '../layout/labels';
import { Layout, ReleaseLine, renderPage, SampleNotice } from '../layout/layout';
import { NameForm, SimilarNames, type SimilarNamesProps } from '../layout/lookup-forms';
import { headlineParts, recordedCohorts, subtitle } from './age-headline';
import { AgeFigures, hasCurve, type KnownProps, livingLabel } from './age-figures';
import { CompareForm } from './names-page';

interface PageProps {
  readonly answer: AgeAnswer;
  readonly release: Release;
  readonly reader: PageContext;
}

/** Endpoint 2 as a page: headline, figures, numbers and table. */
export const renderAgePage = (answer: AgeAnswer, release: Release, reader: PageContext): string =>
  renderPage(<AgePage answer={answer} release={release} reader={reader} />);

function AgePage({ answer, release, reader }: PageProps): VNode {
  const { distribution } = answer;
  return (
    <Layout
      title={answer.name.trim() || 'Age and gender'}
      user={reader.user}
      section="/#names"
      scripts={hasCurve(answer) ? ['search', 'charts'] : ['search']}
    >
      <p class="eyebrow">Age and gender by first name</p>
      <HeadlineText parts={headlineParts(answer)} />
      <p class="lede">{subtitle(answer)}</p>
      {release.label === 'sample' && <SampleNotice />}
      <Cautions answer={answer} />
      {distribution && recordedCohorts(answer).length > 0 && (
        <>
          <AgeFigures answer={answer} distribution={distribution} />
          <AgeNumbers answer={answer} distribution={distribution} />
          <BirthYears answer={answer} />
        </>
      )}
      {distribution === null && <UnknownName name={answer.name} user={reader.user} />}
      <Files answer={answer} apiKey={reader.apiKey} />
      <section>
        <h2>Look up another name</h2>
        <NameForm name={answer.name} date={answer.date} minAge={answer.minAge} apiKey={reader.apiKey} />
        <CompareForm answers={[answer]} reader={reader} />
        <p class="quiet">Use 18 for donors. Without a minimum age, children with the name lower the estimate.</p>
        {distribution && distribution.median !== null && <Basis answer={answer} apiKey={reader.apiKey} />}
      </section>
      <AgeMethod release={release} isOfDonors={answer.donors !== null} />
    </Layout>
  );
}

/** Notices about a date in the future and an estimate from few donors. */
function Cautions({ answer: { date, on, donors, distribution } }: Pick<PageProps, 'answer'>): VNode {
  const lastYear = distribution?.cohorts.at(-1)?.year;
  const group = donors?.groupOf(yearOf(on));
  return (
    <>
      {date > isoDay(new Date()) && (
        <p class="notice">
          <strong>The date is in the future.</strong> The living are projected
          {lastYear !== undefined && yearOf(on) > lastYear && `, without people born after ${lastYear}`}. For a
          donation, check the year.
        </p>
      )}
      {group && group.people < SMALL_GROUP && (
        <p class="notice">
          <strong>Few donors.</strong> Only {counted(group.people, 'donor')} of the {group.year} cycle{' '}
          {group.people === 1 ? 'is' : 'are'} loaded, so this age is inaccurate.
        </p>
      )}
    </>
  );
}

const UnknownName = (props: SimilarNamesProps): VNode => (
  <p>
    The records include a name for each year in which at least five children of one sex received it. Initials, surnames
    and rare spellings are not included: try the full first name or its most common spelling. Capitals, accents, spaces
    and hyphens make no difference.
    <SimilarNames {...props} />
  </p>
);

interface LinkProps {
  readonly answer: AgeAnswer;
  readonly apiKey: string | undefined;
}

/** URL of the same name and date with other parameters. */
function linkTo({ answer, apiKey }: LinkProps, parameters: Readonly<Record<string, string>>): string {
  const key = apiKey === undefined ? {} : { apiKey };
  return lookupPath(['age_gender', 'name', answer.name, 'date', answer.date], { ...parameters, ...key });
}

/** Link to the same page with the other basis of the age. */
function Basis(props: LinkProps): VNode {
  const isOfDonors = props.answer.donors !== null;
  const { minAge } = props.answer;
  const peopleText = minAge > 0 ? `people aged ${minAge} or older` : 'all people';
  const other = linkTo(props, { format: 'html', age_basis: isOfDonors ? 'adult' : 'donors' });
  return (
    <p class="quiet">
      This is the age among {isOfDonors ? 'the donors' : peopleText} with the name. Donors are older than others with
      their names.{' '}
      <a href={other}>{isOfDonors ? 'Show the age among all people aged 18 or older' : 'Show the age among donors'}</a>
    </p>
  );
}

/** Links to the other formats. */
function Files({ answer, apiKey }: LinkProps): VNode {
  const link = (format: string): string =>
    linkTo(
      { answer, apiKey },
      {
        format,
        ...(format === 'json' && { detail: 'true' }),
        ...(answer.minAge > 0 && { min_age: String(answer.minAge) }),
        ...(answer.donors !== null && { age_basis: 'donors' }),
      },
    );
  return (
    <p class="files">
      Download: <a href={link('json')}>JSON</a> · <a href={link('csv')}>CSV</a>
      {hasCurve(answer) && (
        <>
          {' '}
          · <a href={link('svg')}>SVG</a>
        </>
      )}
    </p>
  );
}

/** Key figures. */
function AgeNumbers({ answer, distribution }: KnownProps): VNode {
  const { median, q25, q75, livingM, livingF } = distribution;
  const living = livingM + livingF;
  const births = recordedCohorts(answer).map(({ year, bornM, bornF }) => ({ year, people: bornM + bornF }));
  const peak = births.reduce((best, one) => (one.people > best.people ? one : best));
  const facts: [string, string][] = [
    ['Median age', median === null ? 'none' : String(median)],
    ['Interquartile range', q25 === null || q75 === null ? 'none' : `${q25} to ${q75}`],
    [livingLabel(answer), count(living)],
    ['Female (share of living)', living > 0 ? sexShare(livingF / living) : 'none'],
    [
      `Births ${births[0].year}–${births[births.length - 1].year}`,
      count(births.reduce((sum, { people }) => sum + people, 0)),
    ],
    [`Births in ${peak.year} (peak)`, count(peak.people)],
  ];
  return <KeyFigures facts={facts} />;
}

const COLUMNS = ['Year of birth', 'Male births', 'Female births', 'Living male', 'Living female'];

function BirthYears({ answer }: Pick<KnownProps, 'answer'>): VNode {
  const rows = recordedCohorts(answer);
  return (
    <details>
      <summary>Data table ({rows.length} birth years)</summary>
      <div class="scroll" tabIndex={0} role="region" aria-label="Births and living people by year of birth">
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

interface MethodProps {
  readonly release: Release;
  readonly isOfDonors: boolean;
}

const AgeMethod = ({ release, isOfDonors }: MethodProps): VNode => (
  <footer class="method">
    <h2>Method</h2>
    <p>
      The national birth records count the children who received each name, by sex and year, if there were at least
      five. Actuarial life tables give the share of each birth year that is still living on the date, with a death rate
      smoothed by day.{' '}
      {isOfDonors
        ? 'The age is the median age of donors with the name, estimated from the first names of all donors of the cycle together.'
        : 'The age is the median age of the living.'}{' '}
      The gender is the sex that more often received the name, over all births.
    </p>
    <h2>Limitations</h2>
    <p>
      The estimate says nothing certain about one person. Half of the people with the name are outside the interquartile
      range, and a small share is not zero. The records cover children born in the United States. They do not count
      people who immigrated, changed their name or use a short form. Donors are older than other people with their
      names: for members of Congress, the estimate was {AGE_ERROR_YEARS.name} years too low, and {AGE_ERROR_YEARS.adult}{' '}
      with a <em>minimum age</em> of 18, which leaves out children. The age <em>among donors</em> corrects for the rest:
      see <a href="/guide/method#age-and-gender">the method</a>.
    </p>
    <p>
      <ReleaseLine release={release} />, births of {release.firstDataYear} to {release.lastDataYear}.
    </p>
  </footer>
);
