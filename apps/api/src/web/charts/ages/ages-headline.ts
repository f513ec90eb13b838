import { type AboutFacts } from '../../../charts/about-facts';
import { allOf, type DonorAges, medianInterval, SMALL_GROUP } from '../../../charts/donor-series';
import { type AgesChart } from '../../../charts/donor-charts';
import { type HeadlinePart, joinParts, plain, strong, textOf } from '../../layout/headline';
import { count, percent } from '../../layout/labels';
import { nameOf } from '../chart-labels';
import { inCycles } from '../data-notices';

type WithAge = DonorAges & { readonly middle: NonNullable<DonorAges['middle']> };

/** If there are more committees, the headline counts them instead of naming them. */
const MAX_NAMES = 3;
const MAX_WORDS = 14;

const withAges = ({ parts }: AgesChart): WithAge[] => parts.filter((one): one is WithAge => one.middle !== null);

function comparedOf(chart: AgesChart): WithAge[] {
  const compared = withAges(chart).filter((one) => one.known >= SMALL_GROUP);
  return compared.length < 2 ? [] : compared.sort((a, b) => b.middle.median - a.middle.median);
}

/** Whether the 95 % intervals of two medians do not overlap. */
function isDistinct(one: WithAge, other: WithAge): boolean {
  const [a, b] = [medianInterval(one), medianInterval(other)];
  return a.low > b.high || b.low > a.high;
}

/** Names of the parts of a chart: candidates if each committee has a different one, else committees. */
export function ageNames({ parts, names, candidates }: AgesChart): ReadonlyMap<string, string> {
  const ids = [...new Set(parts.map(({ id }) => id))];
  const owners = ids.flatMap((id) => candidates.get(id) ?? []);
  const isOneEach = owners.length === ids.length && new Set(owners).size === ids.length;
  const isNamed = isOneEach && owners.every((id) => names.has(id));
  return new Map(ids.map((id, at) => [id, nameOf(names, isNamed ? owners[at] : id)]));
}

const hasOneCycle = (parts: AgesChart['parts']): boolean => parts.every(({ cycle }) => cycle === parts[0].cycle);

/** The finding of the histograms, in one sentence. If names of several committees make it too long, it counts them. */
export function agesHeadline(chart: AgesChart, facts: AboutFacts): HeadlinePart[] {
  const end = plain(
    inCycles(
      facts,
      chart.parts.map(({ cycle }) => cycle),
    ),
  );
  const named = namedHeadline(chart, end);
  return chart.parts.length > 1 && textOf(named).split(' ').length > MAX_WORDS ? countedHeadline(chart, end) : named;
}

function countedHeadline(chart: AgesChart, end: HeadlinePart): HeadlinePart[] {
  const compared = comparedOf(chart);
  const many = compared.length || chart.parts.length;
  const isOneCommittee = new Set(chart.parts.map(({ id }) => id)).size === 1;
  const groups = strong(isOneCommittee ? `${many} cycles` : `${many} committees`);
  if (chart.parts.filter(({ known }) => known >= SMALL_GROUP).length === 1)
    return [plain('Only one of '), groups, plain(` has at least ${SMALL_GROUP} estimated ages`), end];
  const committees = [groups, plain('’ donors ')];
  if (compared.length === 0) return [...committees, plain('are too few to compare'), end];
  const [oldest, youngest] = [compared[0], compared[compared.length - 1]].map(({ middle }) => middle.median);
  const ages = oldest === youngest ? `the same median age of ${oldest}` : `median ages from ${youngest} to ${oldest}`;
  return [...committees, plain('had '), strong(ages), end];
}

function namedHeadline(chart: AgesChart, end: HeadlinePart): HeadlinePart[] {
  const { parts } = chart;
  const names = ageNames(chart);
  const isOneCycle = hasOneCycle(parts);
  const whose = (those: readonly DonorAges[]): HeadlinePart[] =>
    those.length > MAX_NAMES
      ? [strong(`${those.length} committees`), plain('’')]
      : joinParts(those.map((one) => [strong(names.get(one.id)!), plain(isOneCycle ? '’s' : `’s ${one.cycle}`)]));
  const [first] = withAges(chart);
  if (first === undefined) return [...whose(parts.slice(0, 1)), plain(' donors have no estimated age'), end];
  const compared = comparedOf(chart);
  if (compared.length === 0 && parts.length > 1) {
    const large = withAges(chart).filter(({ known }) => known >= SMALL_GROUP);
    const small = parts.filter((one) => !large.some(({ id, cycle }) => id === one.id && cycle === one.cycle));
    if (large.length === 0) return [...whose(small), plain(' donors are too few to compare'), end];
    return [
      ...whose(large),
      plain(' donors had median age '),
      strong(String(large[0].middle.median)),
      end,
      plain(', '),
      ...whose(small),
      plain(' are too few'),
    ];
  }
  if (compared.length === 0)
    return [...whose([first]), plain(' donors had a median age of '), strong(String(first.middle.median)), end];
  const [oldest, youngest] = [compared[0], compared[compared.length - 1]].map((edge) =>
    compared.filter((one) => !isDistinct(one, edge)),
  );
  if (oldest.length === compared.length) {
    const isSame = compared.every(({ middle }) => middle.median === compared[0].middle.median);
    return [
      ...whose(oldest),
      plain(isSame ? ' donors had the same median age' : ' donors had similar median ages'),
      end,
    ];
  }
  if (oldest.some((one) => youngest.includes(one))) return countedHeadline(chart, end);
  if (compared.length === 2) return [...whose(oldest), plain(' donors were older than '), ...whose(youngest), end];
  return [
    ...whose(oldest),
    plain(' donors were the oldest'),
    end,
    plain(', '),
    ...whose(youngest),
    plain(' the youngest'),
  ];
}

/** The numbers behind the headline, and which committees it compares. */
export function agesSubtitle(chart: AgesChart): string {
  const names = ageNames(chart);
  const compared = comparedOf(chart);
  const [first] = withAges(chart);
  if (first === undefined) return '';
  if (compared.length === 0 && chart.parts.length > 1)
    return `Comparisons need at least ${SMALL_GROUP} estimated ages of each committee.`;
  if (compared.length === 0)
    return `Half of the ${count(first.known)} estimated ages are ${first.middle.q25} to ${first.middle.q75}.`;
  const isOneCycle = hasOneCycle(chart.parts);
  const shown = [compared[0], compared[compared.length - 1]].map(
    ({ id, cycle, known, middle }) =>
      `${names.get(id)}${isOneCycle ? '' : ` (${cycle})`} ${middle.median} (${intervalText(middle)}${count(known)} donors)`,
  );
  return `Median estimated age: ${shown.join(', ')}. ${comparedText(chart, compared.length)}`.trim();
}

const intervalText = ({ interval }: WithAge['middle']): string =>
  interval ? `95% interval ${interval.low} to ${interval.high}, ` : '';

/** Which committees are compared; empty if all matches are compared. */
function comparedText({ parts, of }: AgesChart, compared: number): string {
  if (compared === of) return '';
  if (compared === parts.length) return `Compared: the ${compared} committees with the most donors.`;
  return `Compared: ${compared} committees with at least ${SMALL_GROUP} estimated ages.`;
}

/** ` 12 of 345 donors (3.5%) have no estimated age.`; empty if all have one. */
export function withoutAge(parts: readonly DonorAges[]): string {
  const without = parts.reduce((sum, { unknown }) => sum + unknown, 0);
  const all = parts.reduce((sum, one) => sum + allOf(one), 0);
  if (without === 0) return '';
  const share = without / all < 0.001 ? '' : ` (${percent(without / all)})`;
  return ` ${count(without)} of ${count(all)} donors${share} ${without === 1 ? 'has' : 'have'} no estimated age.`;
}
