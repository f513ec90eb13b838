import { type ComponentChildren, type VNode } from 'preact';
import { type AboutFacts } from '../data-charts/about-facts';
import { type Charted } from '../data-charts/donor-charts';
import { type FoundByName } from '../data-charts/chart-search';
import { ChartForm, WholeCycles } from './chart-form';
import { type ChartSubject } from './chart-subject';
import { DataNotices } from './data-notices';
import { type Identity } from './drawn-names';
import { type HeadlinePart, textOf } from './headline';
import { HeadlineText } from './headline-text';
import { Layout } from './layout';
import { chartsUrl, type Lists, type Visit } from './visit';
import { count, isoDay } from './words';

/** What every page of a chart is made of. */
export interface ChartPageProps<T extends Identity> {
  readonly chart: Charted<T>;
  readonly lists: Lists;
  /** those looked for by name; null where nobody was */
  readonly found: FoundByName | null;
  readonly facts: AboutFacts;
  readonly visit: Visit;
}

interface FrameProps extends ChartPageProps<Identity> {
  readonly subject: ChartSubject;
  readonly headline: readonly HeadlinePart[];
  readonly figure: VNode;
  /** How it is counted, in paragraphs. */
  readonly method: ComponentChildren;
  /** The numbers. */
  readonly children: ComponentChildren;
}

/** A page of a chart: the finding, the picture, the numbers, the files, and the question again. */
export function ChartPage({ subject, headline, figure, method, children, ...props }: FrameProps): VNode {
  const { chart, lists, found, facts, visit } = props;
  return (
    <Layout title={textOf(headline)} visitor={visit.visitor}>
      <p class="eyebrow">{subject.eyebrow}</p>
      <HeadlineText parts={headline} />
      <DataNotices facts={facts} cycles={chart.parts.map(({ cycle }) => cycle)} />
      {figure}
      <HowMany subject={subject} {...props} />
      {children}
      <Files subject={subject} {...props} />
      <section class="again">
        <h2>Ask again</h2>
        <ChartForm drawn={chart.parts} names={chart.names} {...{ subject, lists, found, facts, visit }} />
        <WholeCycles {...{ subject, lists, facts, visit }} />
      </section>
      <footer class="method">
        <h2>How it is counted</h2>
        {method}
        <p>
          Version <code>charts-{chart.version.id}</code> of {isoDay(chart.version.at)}
          {facts.release !== null && (
            <>
              , ages by the data release <code>{facts.release.id}</code> ({facts.release.label})
            </>
          )}
          . <a href={`${chartsUrl('about', {}, visit)}#rules`}>The rules in full</a>,{' '}
          <a href={`${chartsUrl('about', {}, visit)}#sources`}>the sources with their checksums</a>, and the{' '}
          <a href="https://www.fec.gov/data/browse-data/?tab=bulk-data">files of the Federal Election Commission</a>.
        </p>
      </footer>
    </Layout>
  );
}

type PartProps = ChartPageProps<Identity> & { readonly subject: ChartSubject };

const HowMany = ({ subject, chart, lists, visit }: PartProps): VNode | null =>
  chart.of <= chart.parts.length ? null : (
    <p class="quiet">
      These are the {chart.parts.length} {subject.drawn} with the most donors, of {count(chart.of)} that the question
      has. The <a href={chartsUrl(subject.file.path, lists, visit)}>CSV</a> has them all.
    </p>
  );

/** The same question in another form, and the next one. */
function Files({ subject, chart, lists, visit }: PartProps): VNode {
  const link = (format: string): string => chartsUrl(subject.file.path, lists, visit, format);
  const { other } = subject;
  const cycle = [...new Set(chart.parts.map((part) => String(part.cycle)))];
  const next = { [other.idName]: chart.linked, cycle, ...other.asks };
  return (
    <>
      <p class="files">
        This answer as <a href={link('csv')}>CSV</a> · <a href={link('json')}>JSON</a> · <a href={link('svg')}>SVG</a>
      </p>
      {chart.linked.length > 0 && (
        <p>
          <a href={chartsUrl(other.file.path, next, visit, 'html')}>{other.words}</a>
        </p>
      )}
    </>
  );
}
