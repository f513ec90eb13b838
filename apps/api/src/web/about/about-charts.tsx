import { OFFICE_NAMES } from '@donorlens/primitives';
import { type VNode } from 'preact';
import { type AboutFacts, type IndexEntry } from '../../charts/about-facts';
import { type LinesChart as Lines } from '../../charts/donor-charts';
import { candidateName } from '../charts/display-names';
import { AGES, candidatePath, chartsUrl, LINES, type RequestContext } from '../charts/chart-subject';
import { SMALL_LINES } from '../charts/lines/lines-geometry';
import { LinesFigure, linesHeadline } from '../charts/lines/lines-page';
import { textOf } from '../layout/headline';
import { count } from '../layout/labels';

interface AboutChartsProps {
  readonly facts: AboutFacts;
  readonly context: RequestContext;
}

/** More lines are illegible in the small chart. */
const MAX_LINES = 5;

/** The largest candidates of one cycle, with a link to the page of the cycle. */
export function AboutPicture({ chart, facts, context }: AboutChartsProps & { readonly chart: Lines }): VNode {
  const shown = { ...chart, parts: chart.parts.slice(0, MAX_LINES) };
  const finding = textOf(linesHeadline(chart, facts));
  const page = chartsUrl(LINES.file.path, { cycle: [String(chart.parts[0].cycle)] }, context, 'html');
  return (
    <LinesFigure chart={shown} title={finding} wide={SMALL_LINES}>
      {finding}. <a href={page}>Data table and downloads</a>
    </LinesFigure>
  );
}

/** Links to charts, by cycle. */
export function AboutCharts({ facts, context }: AboutChartsProps): VNode {
  const cycles = [...new Set(facts.index.map(({ cycle }) => cycle))];
  return (
    <section id="charts">
      <h2>Charts</h2>
      {cycles.length === 0 ? (
        <p>Charts are available as soon as contributions are loaded. See the loaded data below.</p>
      ) : (
        <p>
          Donors over time and their ages, for the candidates with the most donors. Search by name for all others:{' '}
          <a href={chartsUrl(LINES.file.path, {}, context, 'html')}>donors over time</a> or{' '}
          <a href={chartsUrl(AGES.file.path, AGES.defaults, context, 'html')}>ages of donors</a>.
          {context.token === undefined && (
            <>
              {' '}
              Or <a href="/compare">compare up to four side by side</a>.
            </>
          )}
          {facts.offices
            .filter((office) => office !== 'P')
            .map((office) => (
              <>
                {' '}
                <a href={chartsUrl(LINES.file.path, { office: [office], cycle: [String(cycles[0])] }, context, 'html')}>
                  Candidates for the {OFFICE_NAMES[office]}
                </a>{' '}
                have their own charts.
              </>
            ))}
        </p>
      )}
      {cycles.map((cycle) => (
        <CycleCharts cycle={cycle} entries={facts.index.filter((one) => one.cycle === cycle)} context={context} />
      ))}
    </section>
  );
}

interface CycleChartsProps {
  readonly cycle: number;
  readonly entries: readonly IndexEntry[];
  readonly context: RequestContext;
}

type LinkOf = (subject: typeof LINES, ids: readonly string[]) => string;

interface CandidateProps {
  readonly cycle: number;
  readonly entry: IndexEntry;
  readonly link: LinkOf;
  /** False if the key is in the URL, because candidate pages do not accept it there. */
  readonly hasPage: boolean;
}

function CandidateCharts({ cycle, entry, link, hasPage }: CandidateProps): VNode {
  const { candidateId, name, donors, committees } = entry;
  const shown = <bdi>{candidateName(name)}</bdi>;
  return (
    <tr>
      <th scope="row">
        {hasPage ? <a href={candidatePath(candidateId, cycle)}>{shown}</a> : shown} <code>{candidateId}</code>
      </th>
      <td>{count(donors)}</td>
      <td>
        <Links
          of={`${candidateName(name)} in ${cycle}`}
          lines={link(LINES, [candidateId])}
          ages={
            committees.length > 0
              ? link(
                  AGES,
                  committees.map(({ id }) => id),
                )
              : null
          }
        />
      </td>
    </tr>
  );
}

function CycleCharts({ cycle, entries, context }: CycleChartsProps): VNode {
  const link: LinkOf = (subject, ids) =>
    chartsUrl(
      subject.file.path,
      { [subject.idName]: ids, cycle: [String(cycle)], ...subject.defaults },
      context,
      'html',
    );
  return (
    <>
      <h3>{cycle}</h3>
      <div class="scroll index" tabIndex={0} role="region" aria-label={`Charts of ${cycle}`}>
        <table class="names">
          <thead>
            <tr>
              <th scope="col">Candidate</th>
              <th scope="col">Donors</th>
              <th scope="col">Charts</th>
            </tr>
          </thead>
          <tbody>
            {entries.map((entry) => (
              <CandidateCharts cycle={cycle} entry={entry} link={link} hasPage={context.token === undefined} />
            ))}
            <tr>
              <th scope="row">Comparison of the largest</th>
              <td />
              <td>
                <Links of={`the largest of ${cycle}`} lines={link(LINES, [])} ages={link(AGES, [])} />
              </td>
            </tr>
          </tbody>
        </table>
      </div>
      {entries.some(({ committees }) => committees.length === 0) && (
        <p class="quiet">
          – {NO_PRINCIPAL}: the donors gave to other committees, or to one on file in another cycle. The comparison
          shows the largest committees.
        </p>
      )}
    </>
  );
}

const NO_PRINCIPAL = 'No principal committee of the candidate is on file for this cycle';

interface LinksProps {
  /** Subject of the links, for screen readers. */
  readonly of: string;
  readonly lines: string;
  readonly ages: string | null;
}

const Links = ({ of, lines, ages }: LinksProps): VNode => (
  <>
    <a href={lines} aria-label={`over time: ${of}`}>
      over time
    </a>
    {' · '}
    {ages !== null ? (
      <a href={ages} aria-label={`ages: ${of}`}>
        ages
      </a>
    ) : (
      <span title={NO_PRINCIPAL}>–</span>
    )}
  </>
);
