import { type VNode } from 'preact';
import { type AboutFacts } from '../../charts/about-facts';
import { agesHeadline, agesSubtitle } from '../charts/ages/ages-headline';
import { nameOf } from '../charts/chart-labels';
import { type RequestContext } from '../charts/chart-subject';
import { DataNotices, ImportCommand } from '../charts/data-notices';
import { candidateName } from '../charts/display-names';
import { linesHeadline, linesSubtitle } from '../charts/lines/lines-page';
import { type HeadlinePart, HeadlineText, plain, textOf } from '../layout/headline';
import { Layout, renderPage } from '../layout/layout';
import { type Hit } from '../search/search-index';
import { Candidates, Committees, type Comparison, Lines } from './compare-sections';

/** More columns do not fit side by side. */
export const MAX_COMPARED = 4;

interface PageProps {
  readonly comparison: Comparison;
  /** text of the search; '' without a search */
  readonly text: string;
  /** null without a search */
  readonly found: readonly Hit[] | null;
  /** if nothing was found: hits with similar spelling */
  readonly near: readonly Hit[];
  readonly facts: AboutFacts;
  readonly context: RequestContext;
}

/** Candidates or committees side by side, and the form to choose them. */
export const renderComparePage = (props: PageProps): string => renderPage(<ComparePage {...props} />);

function ComparePage({ comparison, facts, context, ...search }: PageProps): VNode {
  const { kind, cycle, lines, ages } = comparison;
  const headline = headlineOf(comparison, facts);
  const hasChart = (lines?.parts.length ?? 0) > 0 || (kind === 'committee' && ages.length > 0);
  const scripts = hasChart ? ['search', 'charts'] : ['search'];
  const subtitle = lines ? linesSubtitle(lines) : ages.length > 0 ? agesSubtitle(ages[0]) : '';
  return (
    <Layout title={textOf(headline)} user={context.user} section="/data-charts/v1/about" scripts={scripts}>
      <p class="eyebrow">Comparison</p>
      <HeadlineText parts={headline} />
      {subtitle !== '' && <p class="lede">{subtitle}</p>}
      <DataNotices facts={facts} cycles={cycle === null ? [] : [cycle]} />
      <Selection comparison={comparison} {...search} />
      <WithoutDonors comparison={comparison} />
      {comparison.ids.length === 0 && <Examples facts={facts} />}
      {lines && <Lines title={textOf(headline)} {...{ comparison, lines, context }} />}
      {kind === 'candidate' ? (
        <Candidates comparison={comparison} facts={facts} context={context} />
      ) : (
        <Committees comparison={comparison} facts={facts} context={context} />
      )}
    </Layout>
  );
}

function headlineOf({ ids, lines, ages }: Comparison, facts: AboutFacts): readonly HeadlinePart[] {
  if (lines && lines.parts.length > 0) return linesHeadline(lines, facts);
  if (ages.length > 0) return agesHeadline(ages[0], facts);
  return [
    plain(ids.length === 0 ? 'Compare up to 4 candidates or committees' : 'No donors of this selection are loaded'),
  ];
}

/** URL of this page. */
function compareUrl(ids: readonly string[], cycle: number | null): string {
  const query = new URLSearchParams(ids.map((id) => ['id', id]));
  if (cycle !== null) query.set('cycle', String(cycle));
  return query.size === 0 ? '/compare' : `/compare?${query}`;
}

/** Ids that the charts do not show. */
function WithoutDonors({ comparison: { ids, names, cycle, profiles, ages } }: Pick<PageProps, 'comparison'>): VNode {
  const shown = new Set([...profiles, ...ages.flatMap(({ parts }) => parts)].map(({ id }) => id));
  const missing = ids.filter((id) => !shown.has(id));
  const [known, unknown] = [missing.filter((id) => names.has(id)), missing.filter((id) => !names.has(id))];
  return (
    <>
      {known.length > 0 && (
        <p>
          No donors are loaded{cycle === null ? '' : ` in ${cycle}`}: {known.map((id) => nameOf(names, id)).join(', ')}.
        </p>
      )}
      {unknown.length > 0 && (
        <p>
          Unknown {unknown.length === 1 ? 'ID' : 'IDs'}: {unknown.join(', ')}.
        </p>
      )}
    </>
  );
}

type SelectionProps = Pick<PageProps, 'comparison' | 'text' | 'found' | 'near'>;

const Chosen = ({ comparison: { ids, names, cycle } }: Pick<PageProps, 'comparison'>): VNode => (
  <ul class="chosen">
    {ids.map((id) => (
      <li>
        {names.has(id) && <bdi>{nameOf(names, id)}</bdi>} <code>{id}</code>{' '}
        <a
          href={compareUrl(
            ids.filter((other) => other !== id),
            cycle,
          )}
          aria-label={`Remove ${nameOf(names, id)}`}
        >
          Remove
        </a>
      </li>
    ))}
  </ul>
);

function Selection({ comparison, text, found, near }: SelectionProps): VNode {
  const { ids, kind, cycle, cycles } = comparison;
  const what = ids.length === 0 ? 'Candidate or committee' : `Add a ${kind}`;
  const kinds = ids.length === 0 ? 'kind=candidate&kind=committee' : `kind=${kind}`;
  return (
    <section aria-label="Selection">
      <Chosen comparison={comparison} />
      {ids.length < MAX_COMPARED ? (
        <form
          class="search"
          method="get"
          action="/compare"
          data-suggest={`/search/suggestions?${kinds}`}
          data-pick="id"
        >
          {ids.map((id) => (
            <input type="hidden" name="id" value={id} />
          ))}
          {cycle !== null && <input type="hidden" name="cycle" value={cycle} />}
          <label>
            {what}
            <input type="search" name="q" value={text} maxLength={200} required autocomplete="off" />
          </label>
          <button type="submit">Search</button>
        </form>
      ) : (
        <p class="quiet">Maximum of {MAX_COMPARED} reached. Remove one to add another.</p>
      )}
      {found && (
        <Found
          text={text}
          hits={found.length > 0 ? found : near}
          isNear={found.length === 0}
          add={(id) => compareUrl([...ids, id], cycle)}
        />
      )}
      {cycles.some((one) => one !== cycle) && (
        <nav class="contents" aria-label="Cycles">
          {cycles.map((one) => (
            <a href={compareUrl(ids, one)} aria-current={one === cycle ? 'true' : undefined}>
              {one}
            </a>
          ))}
        </nav>
      )}
    </section>
  );
}

interface FoundProps {
  readonly text: string;
  readonly hits: readonly Hit[];
  readonly isNear: boolean;
  readonly add: (id: string) => string;
}

const Found = ({ text, hits, isNear, add }: FoundProps): VNode => (
  <div id="found">
    <p>{isNear ? `No match for “${text}”.${hits.length > 0 ? ' Did you mean:' : ''}` : `Matches for “${text}”:`}</p>
    <ul>
      {hits.map(({ id, label, note }) => (
        <li>
          <a href={add(id)}>
            <bdi>{label}</bdi>
          </a>
          , {note}
        </li>
      ))}
    </ul>
  </div>
);

/** Comparisons of the candidates with the most donors. */
function Examples({ facts: { index } }: Pick<PageProps, 'facts'>): VNode | null {
  const cycles = [...new Set(index.map(({ cycle }) => cycle))];
  const pairs = cycles.flatMap((cycle) => {
    const [first, second] = index.filter((one) => one.cycle === cycle);
    return first && second ? [{ cycle, first, second }] : [];
  });
  if (index.length === 0)
    return (
      <p>
        No contributions are loaded. Load the FEC&rsquo;s files of a cycle: <ImportCommand />
      </p>
    );
  return (
    <>
      <h2>Candidates with the most donors</h2>
      <ul>
        {pairs.map(({ cycle, first, second }) => (
          <li>
            <a href={compareUrl([first.candidateId, second.candidateId], cycle)}>
              {candidateName(first.name)} and {candidateName(second.name)} in {cycle}
            </a>
          </li>
        ))}
      </ul>
    </>
  );
}
