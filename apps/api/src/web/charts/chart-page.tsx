import { type ComponentChildren, type VNode } from 'preact';
import { type Lists } from '../../charts/list-parameters';
import { type AboutFacts } from '../../charts/about-facts';
import { type FoundByName } from '../../charts/chart-search';
import { type Charted } from '../../charts/donor-charts';
import { type HeadlinePart, HeadlineText, textOf } from '../layout/headline';
import { count, DATA_ORIGIN_LABELS, isoDay } from '../layout/labels';
import { Layout } from '../layout/layout';
import { fileUrl } from './chart-data';
import { ChartForm, LargestByCycle } from './chart-form';
import { type Identity, nameOf, seatName, seatsName } from './chart-labels';
import { candidatePath, type ChartSubject, chartsUrl, embedPath, LINES, type RequestContext } from './chart-subject';
import { DataNotices } from './data-notices';

/** Props of both chart pages. */
export interface ChartPageProps<T extends Identity> {
  readonly chart: Charted<T>;
  readonly lists: Lists;
  /** Result of the search by name; null without a search. */
  readonly found: FoundByName | null;
  readonly facts: AboutFacts;
  readonly context: RequestContext;
  /** Whether charts may be shown on other sites. */
  readonly hasEmbeds?: boolean;
}

interface FrameProps extends ChartPageProps<Identity> {
  readonly subject: ChartSubject;
  readonly headline: readonly HeadlinePart[];
  /** The numbers behind the headline. */
  readonly subtitle: string;
  readonly figure: VNode;
  /** Paragraphs about the method. */
  readonly method: ComponentChildren;
  /** Data tables. */
  readonly children: ComponentChildren;
}

/** A page of a chart: headline, figure, tables, files and the form to change the selection. */
export function ChartPage({ subject, headline, subtitle, figure, method, children, ...props }: FrameProps): VNode {
  const { chart, lists, found, facts, context } = props;
  const seats = seatsName(chart.parts.flatMap(({ id }) => chart.seats.get(chart.candidates.get(id) ?? id) ?? []));
  return (
    <Layout title={textOf(headline)} user={context.user} section="/data-charts/v1/about" scripts={['charts']}>
      <p class="eyebrow">
        {subject.eyebrow}
        {seats !== '' && ` · ${seats}`}
      </p>
      <HeadlineText parts={headline} />
      {subtitle !== '' && <p class="lede">{subtitle}</p>}
      <DataNotices facts={facts} cycles={chart.parts.map(({ cycle }) => cycle)} />
      {figure}
      <ShownCount subject={subject} {...props} />
      <Missing subject={subject} {...props} />
      {children}
      <Files subject={subject} {...props} />
      <section class="again">
        <h2>Change selection</h2>
        <ChartForm shown={chart.parts} names={chart.names} {...{ subject, lists, found, facts, context }} />
        <LargestByCycle {...{ subject, lists, facts, context }} />
      </section>
      <footer class="method">
        <h2>Method</h2>
        {method}
        <p>
          Version <code>charts-{chart.version.id}</code> of {isoDay(chart.version.at)}
          {facts.release !== null && (
            <>
              , ages from data release <code>{facts.release.id}</code> ({DATA_ORIGIN_LABELS[facts.release.label]})
            </>
          )}
          . See the <a href={`${chartsUrl('about', {}, context)}#rules`}>counting rules</a>, the{' '}
          <a href={`${chartsUrl('about', {}, context)}#sources`}>sources with checksums</a> and the{' '}
          <a href="https://www.fec.gov/data/browse-data/?tab=bulk-data">bulk data of the Federal Election Commission</a>
          .
        </p>
      </footer>
    </Layout>
  );
}

type PartProps = ChartPageProps<Identity> & { readonly subject: ChartSubject };
type FileProps = Pick<PartProps, 'subject' | 'chart' | 'lists' | 'context'>;

const ShownCount = ({ subject, chart, lists, context }: PartProps): VNode | null =>
  chart.of <= chart.parts.length ? null : (
    <p class="quiet">
      Shown: the {chart.parts.length} {subject.many} with the most donors, of {count(chart.of)} matches. The{' '}
      <a href={fileLink({ subject, chart, lists, context }, 'csv')}>CSV</a> has all of them.
    </p>
  );

/** Names the selected candidates or committees that the chart shows only for other loaded cycles. */
function Missing({ subject: { idName }, chart: { of, parts, names }, lists, facts }: PartProps): VNode | null {
  const isShown = (id: string, cycle: number): boolean => parts.some((one) => one.id === id && one.cycle === cycle);
  const cycles = facts.cycles.map(({ cycle }) => cycle).filter((cycle) => lists.cycle.includes(String(cycle)));
  const missing = lists[idName].flatMap((id) =>
    names.has(id)
      ? cycles.filter((cycle) => !isShown(id, cycle)).map((cycle) => `${nameOf(names, id)} in ${cycle}`)
      : [],
  );
  return missing.length === 0 || of > parts.length ? null : (
    <p class="quiet">The chart has no data for {missing.join(', ')}.</p>
  );
}

/** If there are more matches than the chart shows, the file name contains only cycles. */
function fileLink({ subject, chart: { of, parts, names }, lists, context }: FileProps, format: string): string {
  const shown = of > parts.length ? [] : parts.map(({ id }) => nameOf(names, id));
  return fileUrl(subject.file, lists, shown, context, format);
}

/** Links to the other formats and to the other chart. */
function Files({ subject, chart, lists, context, hasEmbeds = false }: PartProps): VNode {
  const link = (format: string): string => fileLink({ subject, chart, lists, context }, format);
  const { other } = subject;
  const cycle = [...new Set(chart.parts.map((part) => String(part.cycle)))];
  const next = { [other.idName]: chart.linked, cycle, office: lists.office ?? [], ...other.defaults };
  return (
    <>
      <p class="files">
        Download: <a href={link('csv')}>CSV</a> · <a href={link('xlsx')}>Excel</a> ·{' '}
        <a href={link('parquet')}>Parquet</a> · <a href={link('json')}>JSON</a> ·{' '}
        <a href={chartsUrl(subject.file.path, lists, context, 'svg')}>SVG</a>
      </p>
      <p class="quiet">
        {context.token === undefined
          ? 'Share this chart with the address of this page. Readers need an API key, unless an operator creates a '
          : 'The address of this page contains an API key. Share it only if that is the key of a '}
        <a href="/guide/api#data-and-charts">read-only public link</a>.
      </p>
      {hasEmbeds && <EmbedSnippet subject={subject} lists={lists} context={context} />}
      {chart.linked.length > 0 && (
        <p>
          <a href={chartsUrl(other.file.path, next, context, 'html')}>{other.label}</a>
        </p>
      )}
      <CandidateLinks subject={subject} chart={chart} context={context} />
    </>
  );
}

/** Gives each frame the height that its chart reports. Without this script, a frame keeps the height of its attribute. */
const FIT_FRAMES = `<script>
addEventListener("message", ({ source, data }) => {
  for (const frame of document.querySelectorAll("iframe"))
    if (frame.contentWindow === source && data?.donorlensHeight) frame.height = data.donorlensHeight;
});
</script>`;

/** HTML that embeds the chart in another site. */
function EmbedSnippet({ subject, lists, context }: Pick<PartProps, 'subject' | 'lists' | 'context'>): VNode {
  const query = new URLSearchParams(Object.entries(lists).flatMap(([name, all]) => all.map((value) => [name, value])));
  const address = `${context.origin}${embedPath(subject.file.path)}?${query}`.replaceAll('&', '&amp;');
  const frame = `<iframe src="${address}" title="${subject.eyebrow}" width="100%" height="760" loading="lazy"></iframe>`;
  return (
    <details>
      <summary>Show this chart on another site</summary>
      <pre>
        <code>{`${frame}\n${FIT_FRAMES}`}</code>
      </pre>
    </details>
  );
}

/** Links to candidate pages; none if the key is in the URL, because candidate pages do not accept it there. */
function CandidateLinks({ subject, chart, context }: Pick<PartProps, 'subject' | 'chart' | 'context'>): VNode | null {
  const ids = subject === LINES ? [...new Set(chart.parts.map(({ id }) => id))] : chart.linked;
  if (ids.length === 0 || context.token !== undefined) return null;
  return (
    <p>
      All charts of one candidate:{' '}
      {ids.map((id, at) => (
        <>
          {at > 0 && ', '}
          <a href={candidatePath(id)}>
            <bdi>{nameOf(chart.names, id)}</bdi>
          </a>
        </>
      ))}
    </p>
  );
}

interface PartHeadsProps {
  /** Heading of the first column. */
  readonly first: string;
  readonly chart: Charted<Identity>;
}

/** Column headings of a data table, one for each line or histogram. */
export const PartHeads = ({ first, chart: { parts, names, seats } }: PartHeadsProps): VNode => (
  <thead>
    <tr>
      <th scope="col">{first}</th>
      {parts.map(({ id, cycle }) => (
        <th scope="col">
          <bdi>{nameOf(names, id)}</bdi>
          <br />
          <code>{id}</code> {cycle}
          {seats.has(id) && (
            <>
              <br />
              {seatName(seats.get(id)!)}
            </>
          )}
        </th>
      ))}
    </tr>
  </thead>
);
