import { type Release } from '@donorlens/reference-data';
import { type VNode } from 'preact';
import { type Visitor, withCsrf } from '../access/visitor';
import { ADULT, AskForm } from './ask-form';
import { AskSurname } from './ask-surname';
import { KeyPrompt } from './key-prompt';
import { Layout, renderPage } from './layout';
import { ReleaseLine } from './release-line';
import { SampleNotice } from './sample-notice';

interface HomeProps {
  /** null before the first one is loaded */
  readonly release: Release | null;
  readonly visitor: Visitor | null;
  /** `https://host:port` by which the reader came */
  readonly origin: string;
  /** yyyy-mm-dd, to begin with in the forms */
  readonly today: string;
}

/** The start page: all that can be done here, on one screen, and a key where there is none yet. */
export const renderHomePage = (props: HomeProps): string => renderPage(<HomePage {...props} />);

function HomePage({ release, visitor, origin, today }: HomeProps): VNode {
  return (
    <Layout title="Start" visitor={visitor}>
      <div class="hero">
        <div>
          <h1>What official statistics say about the people who give to campaigns.</h1>
          <p class="lede">
            Age and gender from a first name and a day, ethnicity from a surname, county and household income from an
            address: one question, or millions of rows.
          </p>
        </div>
        {visitor ? (
          <SignedIn visitor={visitor} />
        ) : (
          <section class="card" aria-label="Sign in">
            <KeyPrompt next="/" />
          </section>
        )}
      </div>
      {release?.label === 'sample' && <SampleNotice />}
      <div class="home">
        <Questions today={today} />
        <Files />
        <div class="stack">
          <Programs origin={origin} />
          <Operators />
        </div>
      </div>
      <p class="quiet">
        {release === null ? 'The reference data is not loaded yet.' : <ReleaseLine release={release} />}. Estimates are
        for sums over many donors; they say little about one person:{' '}
        <a href="/guide/method">how they are made, and what they can say</a>.
      </p>
    </Layout>
  );
}

const SignedIn = ({ visitor }: { readonly visitor: Visitor }): VNode => (
  <section class="card" aria-label="Signed in">
    <p>
      Signed in with the key <strong>{visitor.keyName}</strong>.
    </p>
    <p class="actions">{visitor.scopes.has('enrich:batch') && <a href="/batches">Your latest batches</a>}</p>
    <form method="post" action={withCsrf('/session/end', visitor)}>
      <button type="submit" class="link">
        Sign out of {visitor.keyName}
      </button>
    </form>
  </section>
);

const Questions = ({ today }: { readonly today: string }): VNode => (
  <section class="card" id="names">
    <h2>Ask a name</h2>
    <p>Age and gender of a first name on a day, as a sentence, a chart and a table.</p>
    <AskForm date={today} minAge={ADULT} />
    <h2>Ask a surname</h2>
    <p>Ethnicity of a surname by the census of its time.</p>
    <AskSurname year={Number(today.slice(0, 4))} />
  </section>
);

const Files = (): VNode => (
  <section class="card">
    <h2>Bring a file</h2>
    <p>
      Drop contributions as CSV or JSON lines, see five rows enriched before anything is stored, start, and take the
      whole file back with our columns added. Exports of the FEC need no mapping.
    </p>
    <p>
      <a class="button" href="/upload">
        Upload a file
      </a>
    </p>
    <h2>Take a chart</h2>
    <p>
      <a href="/data-charts/v1/about">Presidential candidates and their donors</a>: ages and cumulative donors by
      committee and cycle, as charts, and as CSV for a spreadsheet.
    </p>
  </section>
);

const Programs = ({ origin }: { readonly origin: string }): VNode => (
  <section class="card">
    <h2>Developers</h2>
    <p>
      <a href="/docs">Try every operation</a> in the browser, read <a href="/guide/api">the guide</a>, or let a program
      read <a href="/openapi.json">/openapi.json</a>.
    </p>
    <pre>
      <code>{`curl -H 'X-API-Key: KEY' '${origin}/enrich/v1/ethnicity/surname/Garcia/year/2016'`}</code>
    </pre>
    <p class="quiet">In a URL a key ends up in logs and histories: send it as a header.</p>
  </section>
);

const Operators = (): VNode => (
  <section class="card">
    <h2>Operators</h2>
    <p>
      <a href="/ops">The console</a>: queues and why one does not move, batches, geocoder, data releases, and what was
      done by whom. <a href="/health/ready">/health/ready</a> tells whether everything is there.
    </p>
  </section>
);
