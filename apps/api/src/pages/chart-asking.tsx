import { type VNode } from 'preact';
import { type AboutFacts } from '../data-charts/about-facts';
import { type FoundByName } from '../data-charts/chart-search';
import { ChartForm, WholeCycles } from './chart-form';
import { type ChartSubject } from './chart-subject';
import { DataNotices } from './data-notices';
import { Layout, renderPage } from './layout';
import { chartsUrl, type Lists, type Visit } from './visit';

interface AskingProps {
  readonly subject: ChartSubject;
  readonly lists: Lists;
  readonly found: FoundByName | null;
  readonly facts: AboutFacts;
  readonly visit: Visit;
}

const NO_NAMES: ReadonlyMap<string, string> = new Map();

/** Where there is nothing to draw: because nothing was asked, or because nothing matches. Both say what to ask for. */
export const renderAskingPage = (props: AskingProps): string => renderPage(<AskingPage {...props} />);

function AskingPage(props: AskingProps): VNode {
  const { subject, lists, facts, visit } = props;
  const ids = lists[subject.idName];
  const isAsked = ids.length + lists.cycle.length > 0;
  return (
    <Layout title={subject.eyebrow} visitor={visit.visitor}>
      <p class="eyebrow">{subject.eyebrow}</p>
      <h1>{isAsked ? 'No donors are counted for this question.' : `Which ${subject.one}, in which cycle?`}</h1>
      <DataNotices facts={facts} />
      {isAsked && <Reasons {...props} />}
      <section>
        <h2>{isAsked ? 'Ask again' : 'Ask'}</h2>
        <ChartForm drawn={[]} names={NO_NAMES} {...props} />
        <WholeCycles {...props} />
      </section>
      <p>
        All names and ids are in the files{' '}
        <a href={chartsUrl('about', {}, visit)}>candidate/search and committee/candidate/search</a>; the page about the
        data has working examples.
      </p>
    </Layout>
  );
}

function Reasons({ subject, lists, facts }: AskingProps): VNode {
  const loaded = facts.cycles.map(({ cycle }) => String(cycle));
  const missing = lists.cycle.filter((cycle) => !loaded.includes(cycle));
  return (
    <ul>
      {missing.length > 0 && (
        <li>
          No contributions of {missing.join(', ')} are loaded; there are those of {loaded.join(', ') || 'no cycle yet'}.
        </li>
      )}
      {lists[subject.idName].length > 0 && (
        <li>
          {subject.one === 'candidate'
            ? 'Only presidential candidates with a committee that has counted contributions are here.'
            : 'Only committees linked to a presidential candidate as principal, authorized or joint fundraising are here.'}{' '}
          The id may belong to another one, or to another cycle: leave the cycles open to see all of them.
        </li>
      )}
    </ul>
  );
}

/** Before there are charts at all. The page looks again by itself. */
export const renderNotBuiltPage = ({ subject, visit }: Pick<AskingProps, 'subject' | 'visit'>): string =>
  renderPage(
    <Layout title={subject.eyebrow} visitor={visit.visitor} refreshSeconds={10}>
      <p class="eyebrow">{subject.eyebrow}</p>
      <h1>The charts are not built yet.</h1>
      <p class="lede">
        They are built as soon as candidates and contributions are loaded, which goes on in the background. This page
        looks again every ten seconds.
      </p>
      <p>
        <a href={`${chartsUrl('about', {}, visit)}#coverage`}>What is loaded so far</a>. If nothing arrives for long, an
        operator finds out why with <code>donorlens status</code>, and loads data with <code>donorlens import</code>.
      </p>
    </Layout>,
  );
