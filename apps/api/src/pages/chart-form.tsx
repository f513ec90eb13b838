import { type VNode } from 'preact';
import { type AboutFacts } from '../data-charts/about-facts';
import { type ChartSubject } from './chart-subject';
import { nameOf } from './drawn-names';
import { type Lists, type Visit } from './visit';

interface ChartFormProps {
  readonly subject: ChartSubject;
  readonly lists: Lists;
  /** ids that are drawn, asked for by id or not */
  readonly drawn: readonly string[];
  readonly names: ReadonlyMap<string, string>;
  readonly facts: AboutFacts;
  readonly visit: Visit;
}

/** The question again, to be changed: a plain GET form. */
export function ChartForm({ subject, lists, drawn, names, facts, visit }: ChartFormProps): VNode {
  const asked = lists[subject.idName];
  const cycles = [...new Set([...facts.cycles.map(({ cycle }) => String(cycle)), ...lists.cycle])].sort();
  const known = new Map(subject.known(facts.index));
  const ids = [...new Set([...asked, ...drawn])];
  return (
    <form class="ask-chart" method="get" action={`/data-charts/v1/${subject.file.path}`}>
      <input type="hidden" name="format" value="html" />
      {visit.token !== undefined && <input type="hidden" name="token" value={visit.token} />}
      {ids.length > 0 && (
        <Choices legend={`${capital(subject.one)}s`} name={subject.idName} isLong>
          {ids.map((id) => [id, asked.includes(id), names.has(id) ? nameOf(names, id) : known.get(id)])}
        </Choices>
      )}
      <label>
        {ids.length > 0 ? `Another ${subject.one}` : capital(subject.one)}
        <input
          name={subject.idName}
          list="known-ids"
          placeholder={subject.example}
          pattern={subject.pattern}
          title={`The ${subject.one}'s id, like ${subject.example}`}
          autocomplete="off"
        />
        <datalist id="known-ids">
          {[...known].map(([id, name]) => (
            <option value={id}>{name}</option>
          ))}
        </datalist>
      </label>
      <Choices legend="Cycles (none: all)" name="cycle">
        {cycles.map((cycle) => [cycle, lists.cycle.includes(cycle), undefined])}
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

interface ChoicesProps {
  readonly legend: string;
  readonly name: string;
  readonly isLong?: boolean;
  readonly children: readonly (readonly [value: string, isChosen: boolean, words: string | undefined])[];
}

const Choices = ({ legend, name, isLong, children }: ChoicesProps): VNode => (
  <fieldset class={isLong ? 'long' : undefined}>
    <legend>{legend}</legend>
    {children.map(([value, isChosen, words]) => (
      <label>
        <input type="checkbox" name={name} value={value} checked={isChosen} />
        <span>
          {words !== undefined && (
            <>
              <bdi>{words}</bdi>{' '}
            </>
          )}
          <code>{value}</code>
        </span>
      </label>
    ))}
  </fieldset>
);
