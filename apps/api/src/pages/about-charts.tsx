import { type VNode } from 'preact';
import { type AboutFacts } from '../data-charts/about-facts';
import { type IndexEntry } from '../data-charts/chart-index';
import { type LinesChart as Lines } from '../data-charts/donor-charts';
import { AGES, LINES } from './chart-subject';
import { labelsOf } from './drawn-names';
import { textOf } from './headline';
import { LinesChart } from './lines-chart';
import { NARROW_LINES, SMALL_LINES } from './lines-frame';
import { linesHeadline } from './lines-headline';
import { linesDescription } from './lines-page';
import { WideAndNarrow } from './picture';
import { chartsUrl, type Visit } from './visit';
import { count } from './words';

interface AboutChartsProps {
  readonly facts: AboutFacts;
  readonly visit: Visit;
}

/** As many lines as a small picture bears. */
const MOST_LINES = 5;

/** A cycle at a glance; the picture leads to its page. */
export function AboutPicture({ chart, visit }: { readonly chart: Lines; readonly visit: Visit }): VNode {
  const { parts, names } = { ...chart, parts: chart.parts.slice(0, MOST_LINES) };
  const finding = textOf(linesHeadline(chart));
  const description = linesDescription({ chart: { ...chart, parts } });
  const shared = { lines: parts, labels: labelsOf(parts, names), title: finding, description };
  const page = chartsUrl(LINES.file.path, { cycle: [String(parts[0].cycle)] }, visit, 'html');
  return (
    <figure>
      <WideAndNarrow
        wide={SMALL_LINES}
        narrow={NARROW_LINES}
        draw={(id, size) => <LinesChart {...shared} id={id} size={size} />}
      />
      <figcaption>
        {finding} <a href={page}>See all of it</a>
      </figcaption>
    </figure>
  );
}

/** Which charts there are, by cycle. */
export function AboutCharts({ facts, visit }: AboutChartsProps): VNode {
  const cycles = [...new Set(facts.index.map(({ cycle }) => cycle))];
  return (
    <section id="charts">
      <h2>Charts</h2>
      {cycles.length === 0 ? (
        <p>Charts are drawn as soon as contributions are loaded. What is there so far is said below.</p>
      ) : (
        <p>
          How donors came in, and how old they are. These are the candidates with the most donors, in the cycles with
          the most contributions first; for any other one, ask by name:{' '}
          <a href={chartsUrl(LINES.file.path, {}, visit, 'html')}>a candidate&rsquo;s donors over time</a> or{' '}
          <a href={chartsUrl(AGES.file.path, AGES.asks, visit, 'html')}>the ages of a committee&rsquo;s donors</a>.
        </p>
      )}
      {cycles.map((cycle) => (
        <CycleCharts cycle={cycle} entries={facts.index.filter((one) => one.cycle === cycle)} visit={visit} />
      ))}
    </section>
  );
}

interface CycleChartsProps {
  readonly cycle: number;
  readonly entries: readonly IndexEntry[];
  readonly visit: Visit;
}

function CycleCharts({ cycle, entries, visit }: CycleChartsProps): VNode {
  const link = (subject: typeof LINES, ids: readonly string[]): string =>
    chartsUrl(subject.file.path, { [subject.idName]: ids, cycle: [String(cycle)], ...subject.asks }, visit, 'html');
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
            {entries.map(({ candidateId, name, donors, committees }) => (
              <tr>
                <th scope="row">
                  <bdi>{name}</bdi> <code>{candidateId}</code>
                </th>
                <td>{count(donors)}</td>
                <td>
                  <Links
                    whose={`${name} in ${cycle}`}
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
            ))}
            <tr>
              <th scope="row">All of the cycle, compared</th>
              <td />
              <td>
                <Links whose={`all of ${cycle}`} lines={link(LINES, [])} ages={link(AGES, [])} />
              </td>
            </tr>
          </tbody>
        </table>
      </div>
      {entries.some(({ committees }) => committees.length === 0) && (
        <p class="quiet">
          – {NO_PRINCIPAL}: the donors gave to other committees, or to one on file in another cycle. The ages of all of
          the cycle, compared, have those with the most donors.
        </p>
      )}
    </>
  );
}

const NO_PRINCIPAL = 'No principal committee of the candidate is on file for this cycle';

interface LinksProps {
  readonly whose: string;
  readonly lines: string;
  readonly ages: string | null;
}

const Links = ({ whose, lines, ages }: LinksProps): VNode => (
  <>
    <a href={lines} aria-label={`over time: ${whose}`}>
      over time
    </a>
    {' · '}
    {ages !== null ? (
      <a href={ages} aria-label={`ages: ${whose}`}>
        ages
      </a>
    ) : (
      <span title={NO_PRINCIPAL}>–</span>
    )}
  </>
);
