import { type Release } from '@donorlens/reference-data';
import { AskForm } from './ask-form';
import { Layout, renderPage } from './layout';

/** The start page: what this is, where to go, and a first question to ask. */
export const renderHomePage = (release: Release | null): string =>
  renderPage(
    <Layout title="Start">
      <h1 class="headline">What official statistics say about a contribution&rsquo;s donor.</h1>
      <p class="lede">
        Age and gender from a first name and the day of the donation, ethnicity from a surname, county and household
        income from an address: one record at a time, in bulk, or a whole file.
      </p>
      <section>
        <h2>Ask for a name</h2>
        <AskForm name="" date="" apiKey={undefined} askForKey />
      </section>
      <section>
        <h2>For programs</h2>
        <ul>
          <li>
            <a href="/openapi.json">/openapi.json</a>: every address, its schemas and its errors
          </li>
          <li>
            <code>POST /enrich/v1/age_gender</code>, <code>POST /enrich/v1/ethnicity</code>,{' '}
            <code>POST /enrich/v1/contributions</code>: bulk, answered at once; addresses that are new are located
            meanwhile
          </li>
          <li>
            <code>POST /enrich/v1/batches</code>: CSV, NDJSON or JSON of any size, answered as a batch
          </li>
          <li>
            <code>GET /data-charts/v1/about</code>: candidates, committees and contributions as CSV, with instructions
          </li>
          <li>
            <a href="/health/ready">/health/ready</a>: is everything there
          </li>
        </ul>
        <p>
          Send your key as <code>Authorization: Bearer</code> or <code>X-API-Key</code>. In a URL it ends up in logs and
          histories.
        </p>
      </section>
      <p class="quiet">
        {release === null ? (
          'The reference data is not loaded yet.'
        ) : (
          <>
            Data release <code>{release.id}</code> ({release.label})
          </>
        )}
      </p>
    </Layout>,
  );
