import { type Release } from '@donorlens/reference-data';
import { type VNode } from 'preact';
import { type CensusAnswer, comparable, type EthnicityAnswer, shareOf } from '../lookups/ethnicity-answer';
import { type Reader } from '../lookups/reader';
import { AskSurname } from './ask-surname';
import { EthnicityChart, NARROW_BARS, WIDE_BARS } from './ethnicity-chart';
import { EthnicityMethod } from './ethnicity-method';
import { EthnicityTable } from './ethnicity-table';
import { ethnicityHeadline, GROUPS, inPercent } from './ethnicity-words';
import { textOf } from './headline';
import { HeadlineText } from './headline-text';
import { Layout, renderPage } from './layout';
import { WideAndNarrow } from './picture';
import { SampleNotice } from './sample-notice';
import { standalone } from './standalone-chart';

interface PageProps {
  readonly answer: EthnicityAnswer;
  readonly release: Release;
  readonly reader: Reader;
}

/** Endpoint 4 for people: the finding as a sentence, as bars and as a table. */
export const renderEthnicityPage = (answer: EthnicityAnswer, release: Release, reader: Reader): string =>
  renderPage(<EthnicityPage answer={answer} release={release} reader={reader} />);

function EthnicityPage({ answer, release, reader }: PageProps): VNode {
  const { surname, year, asked } = answer;
  const parts = ethnicityHeadline(answer, release.label === 'sample');
  return (
    <Layout title={surname.trim() || 'Ethnicity'} visitor={reader.visitor}>
      <p class="eyebrow">Ethnicity by surname</p>
      <HeadlineText parts={parts} />
      {release.label === 'sample' && <SampleNotice />}
      {asked && <Figure answer={answer} asked={asked} title={textOf(parts)} />}
      <WhichCensus answer={answer} apiKey={reader.apiKey} />
      {asked && <EthnicityTable answer={answer} asked={asked} />}
      <p class="files">
        This answer as <a href={addressOf(surname, year, { format: 'json', detail: 'true' }, reader.apiKey)}>JSON</a> ·{' '}
        <a href={addressOf(surname, year, { format: 'svg' }, reader.apiKey)}>SVG</a>
      </p>
      <section>
        <h2>Ask for another surname</h2>
        <AskSurname surname={surname} year={year} apiKey={reader.apiKey} />
      </section>
      <EthnicityMethod release={release} />
    </Layout>
  );
}

function addressOf(
  surname: string,
  year: number,
  query: Readonly<Record<string, string>>,
  apiKey: string | undefined,
): string {
  const parameters = new URLSearchParams({ ...query, ...(apiKey !== undefined && { apiKey }) });
  return `/enrich/v1/ethnicity/surname/${encodeURIComponent(surname)}/year/${year}?${parameters}`;
}

const description = ({ census, shares }: CensusAnswer): string =>
  `Census of ${census}: ${shares
    .map(({ group, percent, isSuppressed }) => `${GROUPS[group]} ${isSuppressed ? 'withheld' : inPercent(percent)}`)
    .join(', ')}.`;

interface FigureProps {
  readonly answer: EthnicityAnswer;
  readonly asked: CensusAnswer;
  readonly title: string;
}

function Figure({ answer, asked, title }: FigureProps): VNode {
  const shared = { answer, asked, title, description: description(asked) };
  const before = comparable(answer);
  return (
    <figure>
      <WideAndNarrow
        wide={WIDE_BARS}
        narrow={NARROW_BARS}
        draw={(id, size) => <EthnicityChart {...shared} id={id} size={size} />}
      />
      <figcaption>
        Share of all people with the surname, census of {asked.census}
        {before && ` (the thinner bars: census of ${before.census})`}. Hispanics may be of any race; the other groups
        are those who are not Hispanic.
      </figcaption>
    </figure>
  );
}

/** Which file answers and why, under which spelling, and what the other one says. */
function WhichCensus({
  answer,
  apiKey,
}: {
  readonly answer: EthnicityAnswer;
  readonly apiKey: string | undefined;
}): VNode {
  const { surname, year, census, asked, other } = answer;
  const before = comparable(answer);
  const then = before && asked?.race ? shareOf(before, asked.race) : undefined;
  const elsewhere = asked === null && other !== null ? other : null;
  return (
    <p>
      The year {year} is answered from the census of {census}: years up to 2005 from that of 2000, later ones from that
      of 2010.
      {asked && asked.matched !== surname.toUpperCase() && (
        <>
          {' '}
          The name is listed there as <strong>{asked.matched}</strong>.
        </>
      )}
      {before && then && !then.isSuppressed && (
        <>
          {' '}
          In the census of {before.census} the same group was {inPercent(then.percent)}.
        </>
      )}
      {elsewhere && (
        <>
          {' '}
          The census of {elsewhere.census} does list it, which{' '}
          <a href={addressOf(surname, elsewhere.census, { format: 'html' }, apiKey)}>
            answers the year {elsewhere.census}
          </a>
          .
        </>
      )}
      {asked === null && (
        <> Only surnames of 100 people or more are listed. Capitals, accents, blanks and hyphens make no difference.</>
      )}
    </p>
  );
}

/** The bars as a picture of their own; of an unknown surname an empty one that says so in its title. */
export function ethnicityPicture(answer: EthnicityAnswer, release: Release): string {
  const asked = answer.asked ?? { census: answer.census, matched: '', shares: [], race: null, isTied: false };
  const title = textOf(ethnicityHeadline(answer, release.label === 'sample'));
  const words = `${description(asked)} Data release ${release.id}.`;
  return standalone(
    <EthnicityChart id="groups" size={WIDE_BARS} answer={answer} asked={asked} title={title} description={words} />,
  );
}
