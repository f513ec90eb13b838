import { type Release } from '@donorlens/reference-data';
import { type VNode } from 'preact';
import { type CensusAnswer, comparable, type EthnicityAnswer, shareOf } from '../../lookups/ethnicity-results';
import { type PageContext } from '../../lookups/lookup-pages';
import { fileName } from '../charts/chart-data';
import { NARROW_BARS, WIDE_BARS } from '../layout/bar-chart';
import { HeadlineText, textOf } from '../layout/headline';
import { Layout, ReleaseLine, renderPage, SampleNotice } from '../layout/layout';
import { SimilarNames, SurnameForm } from '../layout/lookup-forms';
import { standalone, WideAndNarrow } from '../layout/picture';
import { EthnicityChart, EthnicityTable } from './ethnicity-figures';
import { ethnicityHeadline, ethnicitySubtitle, GROUPS, inPercent } from './ethnicity-labels';

interface PageProps {
  readonly answer: EthnicityAnswer;
  readonly release: Release;
  readonly reader: PageContext;
}

/** Endpoint 4 as a page: headline, bars and table. */
export const renderEthnicityPage = (answer: EthnicityAnswer, release: Release, reader: PageContext): string =>
  renderPage(<EthnicityPage answer={answer} release={release} reader={reader} />);

function EthnicityPage({ answer, release, reader }: PageProps): VNode {
  const { surname, year, requested } = answer;
  const parts = ethnicityHeadline(answer, release.label === 'sample');
  const summary = ethnicitySubtitle(answer);
  return (
    <Layout title={surname.trim() || 'Ethnicity'} user={reader.user} section="/#names" scripts={['charts']}>
      <p class="eyebrow">Ethnicity by surname</p>
      <HeadlineText parts={parts} />
      {summary !== '' && <p class="lede">{summary}</p>}
      {release.label === 'sample' && <SampleNotice />}
      {requested && <Figure answer={answer} requested={requested} title={textOf(parts)} />}
      <CensusNote answer={answer} release={release} reader={reader} />
      {requested && <EthnicityTable answer={answer} requested={requested} />}
      <p class="files">
        Download: <a href={urlOf(surname, year, { format: 'json', detail: 'true' }, reader.apiKey)}>JSON</a>
        {requested && (
          <>
            {' · '}
            <a
              href={urlOf(surname, year, { format: 'svg' }, reader.apiKey)}
              download={`${fileName('ethnicity', [surname], [year])}.svg`}
            >
              SVG
            </a>
          </>
        )}
      </p>
      <section>
        <h2>Look up another surname</h2>
        <SurnameForm surname={surname} year={year} apiKey={reader.apiKey} />
      </section>
      <EthnicityMethod release={release} />
    </Layout>
  );
}

function urlOf(
  surname: string,
  year: number,
  query: Readonly<Record<string, string>>,
  apiKey: string | undefined,
): string {
  const parameters = new URLSearchParams({ ...query, ...(apiKey !== undefined && { apiKey }) });
  return `/enrich/v1/ethnicity/surname/${encodeURIComponent(surname)}/year/${year}?${parameters}`;
}

const description = ({ census, shares }: CensusAnswer): string =>
  `${census} Census: ${shares
    .map(({ group, percent, isSuppressed }) => `${GROUPS[group]} ${isSuppressed ? 'suppressed' : inPercent(percent)}`)
    .join(', ')}.`;

interface FigureProps {
  readonly answer: EthnicityAnswer;
  readonly requested: CensusAnswer;
  readonly title: string;
}

function Figure({ answer, requested, title }: FigureProps): VNode {
  const shared = { answer, requested, title, description: description(requested) };
  const before = comparable(answer);
  return (
    <figure>
      <WideAndNarrow
        wide={WIDE_BARS}
        narrow={NARROW_BARS}
        draw={(id, size) => <EthnicityChart {...shared} id={id} size={size} />}
      />
      <figcaption>
        Share of all people with the surname, {requested.census} Census
        {before && ` (thin bars: ${before.census} Census)`}. Hispanics may be of any race. The other groups are not
        Hispanic.
      </figcaption>
    </figure>
  );
}

/** States the census that applies to the year, the matched spelling, and the share in the other census. */
function CensusNote({ answer, release, reader }: PageProps): VNode {
  const { surname, year, census, requested, other } = answer;
  const before = comparable(answer);
  const then = before && requested?.race ? shareOf(before, requested.race) : undefined;
  const otherCensus = requested === null && other !== null ? other : null;
  return (
    <p>
      The {census} Census applies to {year}: years up to 2005 use the 2000 Census, later years the 2010 Census
      {release.tables.surnames2020 && ', and years from 2016 the 2020 Census'}.
      {requested && requested.matched !== surname.toUpperCase() && (
        <>
          {' '}
          Its list has the name as <strong>{requested.matched}</strong>.
        </>
      )}
      {before && then && !then.isSuppressed && (
        <>
          {' '}
          In the {before.census} Census, the share was {inPercent(then.percent)}.
        </>
      )}
      {otherCensus && (
        <>
          {' '}
          The {otherCensus.census} Census lists it:{' '}
          <a href={urlOf(surname, otherCensus.census, { format: 'html' }, reader.apiKey)}>
            look it up for {otherCensus.census}
          </a>
          .
        </>
      )}
      {requested === null && (
        <>
          {' '}
          The lists have surnames of 100 people or more. Capitals, accents, spaces and hyphens make no difference.
          <SimilarNames name={surname} user={reader.user} />
        </>
      )}
    </p>
  );
}

/** The bars as an SVG file; for an unknown surname an empty one whose title says so. */
export function ethnicityPicture(answer: EthnicityAnswer, release: Release): string {
  const requested = answer.requested ?? { census: answer.census, matched: '', shares: [], race: null, isTied: false };
  const title = textOf(ethnicityHeadline(answer, release.label === 'sample'));
  const text = `${description(requested)} Data release ${release.id}.`;
  return standalone(
    <EthnicityChart
      id="groups"
      size={WIDE_BARS}
      answer={answer}
      requested={requested}
      title={title}
      description={text}
    />,
    {
      title,
      source: `${release.label === 'sample' ? 'Synthetic sample' : `Source: Census Bureau, surnames of the ${requested.census} Census`}; donorlens, data release ${release.id}.`,
    },
  );
}

const EthnicityMethod = ({ release }: { readonly release: Release }): VNode => (
  <footer class="method">
    <h2>Method</h2>
    <p>
      In each census, people stated their race and whether they are Hispanic. The Census Bureau published the share of
      six groups for every surname of at least 100 people. The groups are Hispanics of any race, and of all others
      people of one race or of two or more. The ethnicity is the group with the largest published share. In a tie it is
      the first one in the order of the table.
    </p>
    <h2>Limitations</h2>
    <p>
      The estimate says nothing certain about one person. The shares are those of all people with the surname in the
      United States. They ignore first name and place, though both may matter, and donors differ from the population.
      Surnames taken at marriage count like those given at birth, and six groups are fewer than people would name. Use
      the estimate for sums over many donors and never for a decision about one person: see{' '}
      <a href="/guide/method#ethnicity">the method</a>.
    </p>
    <p>
      <ReleaseLine release={release} />. The data release does not store how many people have a surname.
    </p>
  </footer>
);
