import { DEFAULT_OFFICES, FEC_OFFICES, OFFICE_NAMES } from '@donorlens/primitives';
import { type VNode } from 'preact';
import { type Lists } from '../../charts/list-parameters';
import { type SessionUser } from '../../access/sessions';
import { type AboutFacts } from '../../charts/about-facts';
import { type FoundByName } from '../../charts/chart-search';
import { capitalized } from '../layout/labels';
import { SimilarNames } from '../layout/lookup-forms';
import { type Identity, nameOf } from './chart-labels';
import { candidateName, displayName } from './display-names';
import { BASIS_LABELS, type ChartSubject, chartsUrl, type RequestContext } from './chart-subject';

interface ChartFormProps {
  readonly subject: ChartSubject;
  readonly lists: Lists;
  /** lines or histograms of the page */
  readonly shown: readonly Identity[];
  readonly names: ReadonlyMap<string, string>;
  /** null without a search */
  readonly found: FoundByName | null;
  readonly facts: AboutFacts;
  readonly context: RequestContext;
}

const officesOf = ({ office }: Lists): readonly string[] => (office?.length ? office : DEFAULT_OFFICES);

/** `President, House`: the selected offices. */
export const officesText = (lists: Lists): string =>
  FEC_OFFICES.filter((one) => officesOf(lists).includes(one))
    .map((one) => OFFICE_NAMES[one])
    .join(', ');

/** The selection of the page as a plain GET form in which everything shown is checked. */
export function ChartForm({ subject, lists, shown, names, found, facts, context }: ChartFormProps): VNode {
  const shownCycles = new Set([...lists.cycle, ...shown.map(({ cycle }) => String(cycle))]);
  const cycles = [...new Set([...facts.cycles.map(({ cycle }) => String(cycle)), ...shownCycles])].sort();
  const known = new Map(subject.known(facts.index));
  const ids = [...new Set([...lists[subject.idName], ...shown.map(({ id }) => id)])];
  const offices = FEC_OFFICES.filter((office) => facts.offices.includes(office) || lists.office?.includes(office));
  const action = `/data-charts/v1/${subject.file.path}`;
  return (
    <form class="ask-chart" method="get" action={action}>
      <input type="hidden" name="format" value="html" />
      {context.token !== undefined && <input type="hidden" name="token" value={context.token} />}
      {ids.length > 0 && (
        <Choices legend={`${capitalized(subject.many)} (none checked = largest)`} name={subject.idName} isLong>
          {ids.map((id) => [
            id,
            true,
            names.has(id) ? nameOf(names, id) : displayName(id, known.get(id) ?? '') || undefined,
          ])}
        </Choices>
      )}
      <Finder subject={subject} isFirst={ids.length === 0} found={found} facts={facts} action={action} />
      {found && <FoundChoices subject={subject} found={found} ids={ids} lists={lists} user={context.user} />}
      {offices.length > 1 && (
        <Choices legend="Offices (blank = President)" name="office">
          {offices.map((office) => [office, lists.office?.includes(office) ?? false, OFFICE_NAMES[office]])}
        </Choices>
      )}
      <Choices legend="Cycles (blank = all)" name="cycle">
        {cycles.map((cycle) => [cycle, shownCycles.has(cycle), undefined])}
      </Choices>
      {'basis' in lists && (
        <label>
          Estimate ages from
          <select name="basis">
            <option value="all">{BASIS_LABELS.all}</option>
            <option value="adult" selected={lists.basis.includes('adult')}>
              {BASIS_LABELS.adult}
            </option>
            {subject.idName === 'committee_id' && (
              <option value="donors" selected={lists.basis.includes('donors')}>
                {BASIS_LABELS.donors}
              </option>
            )}
          </select>
        </label>
      )}
      <button type="submit">Update chart</button>
    </form>
  );
}

interface FinderProps extends Pick<ChartFormProps, 'subject' | 'found' | 'facts'> {
  readonly isFirst: boolean;
  readonly action: string;
}

/** Search field. Its button is the first of the form, so that Enter searches. The result URL jumps to the matches. */
const Finder = ({ subject, isFirst, found, facts, action }: FinderProps): VNode => (
  <div class="find">
    <label>
      {isFirst ? capitalized(subject.one) : `Add a ${subject.one}`}, {subject.searchBy}
      <input
        type="search"
        name="name_part"
        value={found?.nameParts.join(' ')}
        list="known-names"
        placeholder={`Name or ${subject.example}`}
        minlength={2}
        maxlength={200}
        autocomplete="off"
      />
      <datalist id="known-names">
        {[...new Set(facts.index.map(({ name }) => candidateName(name)))].map((name) => (
          <option value={name} />
        ))}
      </datalist>
    </label>
    <button type="submit" formaction={`${action}#found`}>
      Search
    </button>
  </div>
);

interface FoundProps {
  readonly subject: ChartSubject;
  readonly found: FoundByName;
  /** ids that the form already has */
  readonly ids: readonly string[];
  readonly lists: Lists;
  readonly user: SessionUser | null;
}

function FoundChoices({ subject, found: { nameParts, first, of }, ids, lists, user }: FoundProps): VNode {
  const called = `“${nameParts.join('”, “')}”`;
  const others = first.filter(({ id }) => !ids.includes(id));
  if (others.length === 0)
    return (
      <p class="long" id="found">
        {of > 0
          ? `All matches for ${called} are checked above.`
          : `No candidate for ${officesText(lists)} with ${called} in the name has donors. Try part of the name or another office.`}
        {of === 0 && <SimilarNames name={nameParts.join(' ')} user={user} />}
      </p>
    );
  const more = of > first.length ? `, ${of - first.length} more: enter more of the name` : '';
  return (
    <Choices legend={`Matches for ${called}${more}`} name={subject.idName} isLong id="found">
      {others.map(({ id, name, cycles }) => [id, false, displayName(id, name) || undefined, cycles.join(', ')])}
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
    label: string | undefined,
    remark?: string,
  ])[];
}

const Choices = ({ legend, name, isLong, id, children }: ChoicesProps): VNode => (
  <fieldset class={isLong ? 'long' : undefined} id={id}>
    <legend>{legend}</legend>
    {children.map(([value, isChosen, label, remark]) => (
      <label>
        <input type="checkbox" name={name} value={value} checked={isChosen} />
        <span>
          {label !== undefined && (
            <>
              <bdi>{label}</bdi>{' '}
            </>
          )}
          <code>{value}</code>
          {remark && ` (${remark})`}
        </span>
      </label>
    ))}
  </fieldset>
);

type LargestProps = Pick<ChartFormProps, 'subject' | 'lists' | 'facts' | 'context'>;

/** Links to the same chart of the candidates or committees with the most donors. */
export function LargestByCycle({ subject, lists, facts, context }: LargestProps): VNode | null {
  const selected = officesOf(lists);
  const cycles = facts.cycles.filter(({ offices }) => offices.some((office) => selected.includes(office))).reverse();
  if (cycles.length === 0) return null;
  return (
    <p>
      {capitalized(subject.many)} with the most donors:{' '}
      {cycles.map(({ cycle }, at) => (
        <>
          {at > 0 && ', '}
          <a
            href={chartsUrl(
              subject.file.path,
              { ...lists, [subject.idName]: [], cycle: [String(cycle)] },
              context,
              'html',
            )}
          >
            {cycle}
          </a>
        </>
      ))}
    </p>
  );
}
