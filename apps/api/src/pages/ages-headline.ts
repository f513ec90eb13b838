import { type AgesChart } from '../data-charts/donor-charts';
import { allOf, type DonorAges } from '../data-charts/donor-ages';
import { capital } from './chart-form';
import { nameOf } from './drawn-names';
import { type HeadlinePart, plain, sharers, strong } from './headline';
import { count, percent } from './words';

type WithAge = DonorAges & { readonly middle: NonNullable<DonorAges['middle']> };

/** Medians of fewer donors than this differ by chance, and are not compared in words. */
const FEWEST_COMPARED = 100;

/** What the histograms show, as a sentence. It says of whom it speaks where that is not the whole answer. */
export function agesHeadline(chart: AgesChart): HeadlinePart[] {
  const { parts, names } = chart;
  const isOneCycle = parts.every(({ cycle }) => cycle === parts[0].cycle);
  const called = ({ id, cycle }: DonorAges): HeadlinePart[] => [
    strong(nameOf(names, id)),
    plain(isOneCycle ? '' : ` in ${cycle}`),
  ];
  const known = parts.filter((one): one is WithAge => one.middle !== null);
  const [first] = known;
  if (first === undefined)
    return [plain('None of the donors of '), ...called(parts[0]), plain(' has an estimated age.')];
  const compared = known.filter((one) => one.known >= FEWEST_COMPARED);
  if (compared.length < 2) return alone(first, nameOf(names, first.id));
  const byAge = [...compared].sort((a, b) => a.middle.median - b.middle.median);
  const [youngest, oldest] = [byAge[0], byAge[byAge.length - 1]].map((end) =>
    compared.filter(({ middle }) => middle.median === end.middle.median),
  );
  const whose = (those: readonly WithAge[]): HeadlinePart[] =>
    sharers(those.map(called), isOneCycle ? 'committees' : 'committees and cycles');
  const scope = (isOneCycle ? `in the cycle ${first.cycle}, ` : '') + comparedWords(chart, compared.length);
  if (oldest.length === compared.length)
    return [
      plain(capital(`${scope}donors of `)),
      ...whose(oldest),
      plain(' have the same median age, '),
      ...ageOf(oldest[0]),
      plain(` (${donorsOf(oldest, ' donors')}).`),
    ];
  return [
    plain(capital(`${scope}the oldest donors are those of `)),
    ...whose(oldest),
    plain(', with a median age of '),
    ...ageOf(oldest[0]),
    plain(` (${donorsOf(oldest, ' donors')}); the youngest those of `),
    ...whose(youngest),
    plain(', with '),
    ...ageOf(youngest[0]),
    plain(` (${donorsOf(youngest)}).`),
  ];
}

/** `1,200`, or of several `135 to 1,200 each`. */
function donorsOf(those: readonly WithAge[], unit = ''): string {
  const known = those.map((one) => one.known);
  const [least, most] = [Math.min(...known), Math.max(...known)];
  return `${least === most ? '' : `${count(least)} to `}${count(most)}${unit}${those.length > 1 ? ' each' : ''}`;
}

/** Which ones are compared; nothing where they are all that the question has. */
function comparedWords({ parts, of }: AgesChart, compared: number): string {
  if (compared === of) return '';
  if (compared === parts.length) return `of the ${compared} with the most donors, `;
  return `of the ${compared}${of > parts.length ? ' drawn' : ''} with at least ${FEWEST_COMPARED} estimated ages, `;
}

const ageOf = ({ middle }: WithAge): HeadlinePart[] => [strong(String(middle.median))];

const alone = (one: WithAge, name: string): HeadlinePart[] => [
  plain('Donors of '),
  strong(name),
  plain(` in the cycle ${one.cycle} have a median age of `),
  ...ageOf(one),
  plain(`; the middle half are ${one.middle.q25} to ${one.middle.q75} (${count(one.known)} with an estimated age).`),
];

/** ` 12 of 345 donors (3.5 %) have no estimated age …`; nothing where all have one. */
export function withoutAge(parts: readonly DonorAges[]): string {
  const without = parts.reduce((sum, { unknown }) => sum + unknown, 0);
  const all = parts.reduce((sum, one) => sum + allOf(one), 0);
  if (without === 0) return '';
  const share = without / all < 0.001 ? '' : ` (${percent(without / all)})`;
  return ` ${count(without)} of ${count(all)} donors${share} ${without === 1 ? 'has' : 'have'} no estimated age.`;
}
