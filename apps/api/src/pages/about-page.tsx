import { type AboutFacts } from '../data-charts/about-facts';
import { FILE_GUIDES } from '../data-charts/file-guide';
import { AboutCharts, AboutPicture } from './about-charts';
import { AboutCoverage } from './about-coverage';
import { AboutFile, exampleUrl } from './about-file';
import { AboutLimits } from './about-limits';
import { AboutRules } from './about-rules';
import { AboutSensitivity } from './about-sensitivity';
import { AboutSources } from './about-sources';
import { DataNotices } from './data-notices';
import { Layout, renderPage } from './layout';
import { type Visit } from './visit';

const FIRST = FILE_GUIDES.find(({ path }) => path.startsWith('cumulative_donors'));

/** Instructions to the data and charts group, with what is loaded right now. */
export const renderAboutPage = (facts: AboutFacts, visit: Visit): string =>
  renderPage(
    <Layout title="About the data" visitor={visit.visitor}>
      <p class="eyebrow">Data and charts</p>
      <h1 class="headline">
        Who gives to presidential candidates, as charts, and as files you can open in a spreadsheet.
      </h1>
      <DataNotices facts={facts} />
      <p class="lede">
        Presidential candidates, their committees and the individual contributions to them, from the files of the
        Federal Election Commission, with estimated age, gender and ethnicity of the donors, and county and household
        income where a filing gives their address.
      </p>
      {facts.picture && <AboutPicture chart={facts.picture} visit={visit} />}
      <nav class="contents" aria-label="On this page">
        <a href="#charts">Charts</a> <a href="#first">First file</a> <a href="#files">All files</a>{' '}
        <a href="#coverage">What is loaded</a> <a href="#rules">How it is counted</a> <a href="#sources">Sources</a>{' '}
        <a href="#use">Permitted use</a> <a href="#limits">Limits</a>
      </nav>
      <AboutCharts facts={facts} visit={visit} />
      <FirstFile facts={facts} visit={visit} />
      <section id="files">
        <h2>All files</h2>
        <p>
          Repeat a parameter for several values: <code>cycle=2016&amp;cycle=2020</code>. Values of one parameter are
          alternatives, parameters of different names apply together; without a cycle you get all cycles. One of the
          parameters is needed. A question that nothing matches gives the header line alone.
        </p>
        {FILE_GUIDES.map((guide) => (
          <AboutFile guide={guide} facts={facts} visit={visit} />
        ))}
        <p class="quiet">
          CSV as in RFC 4180, UTF-8, lines end in LF. Text that a spreadsheet would run as a formula begins with an
          apostrophe; <code>raw=true</code> leaves it out. <code>format=json</code> gives JSON, <code>format=html</code>{' '}
          and <code>format=svg</code> a chart where there is one. Answers carry an ETag: send it back as{' '}
          <code>If-None-Match</code>, and a 304 says that nothing has changed.
        </p>
      </section>
      <AboutCoverage facts={facts} />
      <AboutRules />
      <AboutSensitivity facts={facts} />
      <AboutSources facts={facts} />
      <AboutLimits geocoder={facts.geocoder} />
    </Layout>,
  );

function FirstFile({ facts: { examples }, visit }: { readonly facts: AboutFacts; readonly visit: Visit }) {
  const question = examples && FIRST?.example(examples);
  return (
    <section id="first">
      <h2>Your first file, in 30 seconds</h2>
      {FIRST && question ? (
        <>
          <p>Donors of one candidate, day by day. Put your key in place of KEY:</p>
          <pre>
            <code>{`curl -OJ -H 'X-API-Key: KEY' \\\n  '${visit.origin}${exampleUrl(FIRST, question)}'`}</code>
          </pre>
          <p>
            The file is called <code>results.csv</code>.{' '}
            {visit.token === undefined && visit.visitor === null ? (
              <>
                In a browser, add <code>&amp;token=KEY</code> to the address instead; it then stands in your history.
              </>
            ) : (
              <>
                Or <a href={exampleUrl(FIRST, question, visit.token)}>open it here</a>.
              </>
            )}
          </p>
        </>
      ) : (
        <p>No candidates are loaded yet. As soon as they are, this page shows a line that you can copy.</p>
      )}
    </section>
  );
}
