import { type Release } from '@donorlens/reference-data';
import { type VNode } from 'preact';
import { type AgeAnswer } from '../lookups/age-answer';
import { type Reader } from '../lookups/reader';
import { AgeNumbers, BirthYears } from './age-facts';
import { AgeFigures } from './age-figures';
import { AgeMethod } from './age-method';
import { AskForm } from './ask-form';
import { headlineParts } from './headline';
import { HeadlineText } from './headline-text';
import { Layout, renderPage } from './layout';
import { SampleNotice } from './sample-notice';

interface PageProps {
  readonly answer: AgeAnswer;
  readonly release: Release;
  readonly reader: Reader;
}

/** Endpoint 2 for people: the finding as a sentence, as a picture, as numbers and as a table. */
export const renderAgePage = (answer: AgeAnswer, release: Release, reader: Reader): string =>
  renderPage(<AgePage answer={answer} release={release} reader={reader} />);

function AgePage({ answer, release, reader }: PageProps): VNode {
  const { distribution } = answer;
  return (
    <Layout title={answer.name.trim() || 'Age and gender'} visitor={reader.visitor}>
      <p class="eyebrow">Age and gender by first name</p>
      <HeadlineText parts={headlineParts(answer)} />
      {release.label === 'sample' && <SampleNotice />}
      {distribution ? (
        <>
          <AgeFigures answer={answer} distribution={distribution} />
          <AgeNumbers answer={answer} distribution={distribution} />
          <BirthYears answer={answer} distribution={distribution} />
        </>
      ) : (
        <UnknownName />
      )}
      <Files answer={answer} apiKey={reader.apiKey} />
      <section>
        <h2>Ask for another name</h2>
        <AskForm name={answer.name} date={answer.date} minAge={answer.minAge} apiKey={reader.apiKey} />
        <p class="quiet">
          For donors ask with 18 as the youngest age: without one, children who bear the name make the estimate younger.
        </p>
      </section>
      <AgeMethod release={release} />
    </Layout>
  );
}

const UnknownName = (): VNode => (
  <p>
    A name is in the records for every year in which at least five children of one sex were given it. Initials, surnames
    and rare spellings are not: try the full first name, or its most usual spelling. Capitals, accents, blanks and
    hyphens make no difference.
  </p>
);

/** The same address in another format. */
function Files({ answer, apiKey }: { readonly answer: AgeAnswer; readonly apiKey: string | undefined }): VNode {
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
