import { type VNode } from 'preact';
import { type Lists } from '../../charts/list-parameters';
import { type AboutFacts } from '../../charts/about-facts';
import { type FoundByName } from '../../charts/chart-search';
import { Layout, renderPage } from '../layout/layout';
import { ChartForm, LargestByCycle, officesText } from './chart-form';
import { type ChartSubject, chartsUrl, type RequestContext } from './chart-subject';
import { DataNotices, hasBegun, ImportCommand } from './data-notices';

interface SelectionProps {
  readonly subject: ChartSubject;
  readonly lists: Lists;
  readonly found: FoundByName | null;
  readonly facts: AboutFacts;
  readonly context: RequestContext;
}

const NO_NAMES: ReadonlyMap<string, string> = new Map();

/** The page without a chart: nothing is selected yet, or nothing matches. */
export const renderSelectionPage = (props: SelectionProps): string => renderPage(<SelectionPage {...props} />);

function SelectionPage(props: SelectionProps): VNode {
  const { subject, lists, facts, context } = props;
  const ids = lists[subject.idName];
  const hasSelection = ids.length + lists.cycle.length > 0;
  return (
    <Layout title={subject.eyebrow} user={context.user} section="/data-charts/v1/about">
      <p class="eyebrow">{subject.eyebrow}</p>
      <h1>{hasSelection ? 'No donors match this selection' : `Choose a ${subject.one} or a cycle`}</h1>
      <DataNotices facts={facts} cycles={hasSelection ? [] : undefined} />
      {hasSelection && <Reasons {...props} />}
      <section>
        <h2>{hasSelection ? 'Change selection' : 'Select'}</h2>
        <ChartForm shown={[]} names={NO_NAMES} {...props} />
        <LargestByCycle {...props} />
      </section>
      <p>
        Find candidates and committees by name with the <a href="/search">search</a>. Lists of all names and IDs are
        among the <a href={chartsUrl('about', {}, context)}>working examples</a>.
      </p>
    </Layout>
  );
}

function Reasons({ subject, lists, facts }: SelectionProps): VNode {
  const loaded = facts.cycles.map(({ cycle }) => String(cycle));
  const offices = officesText(lists);
  const missing = lists.cycle.filter((cycle) => !loaded.includes(cycle));
  const loadable = missing.map(Number).find(hasBegun);
  return (
    <ul>
      {missing.length > 0 && (
        <li>
          No contributions of {missing.join(', ')} are loaded. Loaded cycles: {loaded.join(', ') || 'none yet'}.
          {loadable !== undefined && (
            <>
              {' '}
              To load {loadable}: <ImportCommand cycle={loadable} />
            </>
          )}
        </li>
      )}
      {lists[subject.idName].length > 0 && (
        <li>
          {subject.one === 'candidate'
            ? `The charts include only candidates for ${offices} with a committee that has counted contributions.`
            : `The charts include only principal, authorized and joint fundraising committees of candidates for ${offices}.`}{' '}
          The ID may belong to another {subject.one} or cycle.
          {lists.cycle.length > 0 && ' Leave the cycles blank to see all of them.'}
        </li>
      )}
    </ul>
  );
}

/** The page before the first charts are built; it reloads itself. */
export const renderNotBuiltPage = (eyebrow: string, context: RequestContext): string =>
  renderPage(
    <Layout title={eyebrow} user={context.user} section="/data-charts/v1/about" refreshSeconds={10}>
      <p class="eyebrow">{eyebrow}</p>
      <h1>The charts are not built yet</h1>
      <p class="lede">
        Donorlens builds them as soon as candidates and contributions are loaded. This page reloads every ten seconds.
      </p>
      <p>
        <a href={`${chartsUrl('about', {}, context)}#coverage`}>What is loaded so far</a>. If nothing changes for hours,
        check <code>bin/donorlens status</code> or load a cycle: <ImportCommand />
      </p>
    </Layout>,
  );
