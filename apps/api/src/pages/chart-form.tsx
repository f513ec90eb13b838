import { type VNode } from 'preact';
import { type AboutFacts } from '../data-charts/about-facts';
import { type FoundByName } from '../data-charts/chart-search';
import { type ChartSubject } from './chart-subject';
import { type Identity, nameOf } from './drawn-names';
import { chartsUrl, type Lists, type Visit } from './visit';

interface ChartFormProps {
  readonly subject: ChartSubject;
  readonly lists: Lists;
  /** what is drawn, asked for by id or not */
  readonly drawn: readonly Identity[];
  readonly names: ReadonlyMap<string, string>;
  /** null where nobody was looked for */
  readonly found: FoundByName | null;
  readonly facts: AboutFacts;
  readonly visit: Visit;
}

/** The question again, to be changed: a plain GET form in which all that is shown is ticked. */
export function ChartForm({ subject, lists, drawn, names, found, facts, visit }: ChartFormProps): VNode {
  const shownCycles = new Set([...lists.cycle, ...drawn.map(({ cycle }) => String(cycle))]);
  const cycles = [...new Set([...facts.cycles.map(({ cycle }) => String(cycle)), ...shownCycles])].sort();
  const known = new Map(subject.known(facts.index));
  const ids = [...new Set([...lists[subject.idName], ...drawn.map(({ id }) => id)])];
  const action = `/data-charts/v1/${subject.file.path}`;
  return (
    <form class="ask-chart" method="get" action={action}>
      <input type="hidden" name="format" value="html" />
      {visit.token !== undefined && <input type="hidden" name="token" value={visit.token} />}
      {ids.length > 0 && (
        <Choices legend={`${capital(subject.one)}s (none: those with the most donors)`} name={subject.idName} isLong>
          {ids.map((id) => [id, true, names.has(id) ? nameOf(names, id) : known.get(id)])}
        </Choices>
      )}
      <Finder subject={subject} isFirst={ids.length === 0} found={found} facts={facts} action={action} />
      {found && <FoundChoices subject={subject} found={found} ids={ids} />}
      <Choices legend="Cycles (none: all)" name="cycle">
        {cycles.map((cycle) => [cycle, shownCycles.has(cycle), undefined])}
      </Choices>
      {'basis' in lists && (
        <label>
          Ages
          <select name="basis">
            <option value="all">of all bearers of a name</option>
            <option value="adult" selected={lists.basis.includes('adult')}>
              of those who have reached 18
            </option>
          </select>
        </label>
      )}
      <button type="submit">Draw</button>
    </form>
  );
}

export const capital = (word: string): string => word[0].toUpperCase() + word.slice(1);

interface FinderProps extends Pick<ChartFormProps, 'subject' | 'found' | 'facts'> {
  readonly isFirst: boolean;
  readonly action: string;
}

/** Its button comes first in the form, so that Enter finds; what was found is led to on the page that answers. */
const Finder = ({ subject, isFirst, found, facts, action }: FinderProps): VNode => (
  <div class="find">
    <label>
      {isFirst ? capital(subject.one) : `Another ${subject.one}`}, {subject.search.by}
      <input
        type="search"
        name="name_part"
        value={found?.nameParts.join(' ')}
        list="known-names"
        placeholder={`a name, or ${subject.example}`}
        minlength={2}
        maxlength={200}
        autocomplete="off"
      />
      <datalist id="known-names">
        {[...new Set(facts.index.map(({ name }) => name))].map((name) => (
          <option value={name} />
        ))}
      </datalist>
    </label>
    <button type="submit" formaction={`${action}#found`}>
      Find
    </button>
  </div>
);

interface FoundProps {
  readonly subject: ChartSubject;
  readonly found: FoundByName;
  /** those that are in the form already */
  readonly ids: readonly string[];
}

function FoundChoices({ subject, found: { nameParts, first, of }, ids }: FoundProps): VNode {
  const called = `“${nameParts.join('”, “')}”`;
  const others = first.filter(({ id }) => !ids.includes(id));
  if (others.length === 0)
    return (
      <p class="long" id="found">
        {of > 0
          ? `All that is found for ${called} is ticked above.`
          : `No candidate with ${called} in the name has donors here. A part of the name is enough, and is safer.`}
      </p>
    );
  const more = of > first.length ? `; ${of - first.length} more: write more of the name` : '';
  return (
    <Choices legend={`Found for ${called}${more}. Tick and draw.`} name={subject.idName} isLong id="found">
      {others.map(({ id, name, cycles }) => [id, false, name || undefined, cycles.join(', ')])}
    </Choices>
  );
}

interface ChoicesProps {
  readonly legend: string;
  readonly name: string;
  readonly isLong?: boolean;
  readonly id?: string;
  readonly children: readonly (readonly [
    value: string,
    isChosen: boolean,
    words: string | undefined,
    remark?: string,
  ])[];
}

const Choices = ({ legend, name, isLong, id, children }: ChoicesProps): VNode => (
  <fieldset class={isLong ? 'long' : undefined} id={id}>
    <legend>{legend}</legend>
    {children.map(([value, isChosen, words, remark]) => (
      <label>
        <input type="checkbox" name={name} value={value} checked={isChosen} />
        <span>
          {words !== undefined && (
            <>
              <bdi>{words}</bdi>{' '}
            </>
          )}
          <code>{value}</code>
          {remark && ` (${remark})`}
        </span>
      </label>
    ))}
  </fieldset>
);

type WholeProps = Pick<ChartFormProps, 'subject' | 'lists' | 'facts' | 'visit'>;

/** The same chart of those with the most donors, whoever they are. */
export const WholeCycles = ({ subject, lists, facts, visit }: WholeProps): VNode | null =>
  facts.cycles.length === 0 ? null : (
    <p>
      Or the {subject.one}s with the most donors in{' '}
      {[...facts.cycles].reverse().map(({ cycle }, at) => (
        <>
          {at > 0 && ', '}
          <a
            href={chartsUrl(
              subject.file.path,
              { ...lists, [subject.idName]: [], cycle: [String(cycle)] },
              visit,
              'html',
            )}
          >
            {cycle}
          </a>
        </>
      ))}
      .
    </p>
  );
