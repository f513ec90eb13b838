import { type AgesChart } from '../data-charts/donor-charts';
import { allOf, type DonorAges } from '../data-charts/donor-ages';
import { nameOf } from './drawn-names';
import { type HeadlinePart } from './headline';
import { count, percent } from './words';

const plain = (text: string): HeadlinePart => ({ text });
const strong = (text: string): HeadlinePart => ({ text, strong: true });

type WithAge = DonorAges & { readonly middle: NonNullable<DonorAges['middle']> };

/** Medians of fewer donors than this differ by chance, and are not compared in words. */
const FEWEST_COMPARED = 100;

/** What the histograms show, as a sentence. */
export function agesHeadline({ parts, names }: AgesChart): HeadlinePart[] {
  const isOneCycle = parts.every(({ cycle }) => cycle === parts[0].cycle);
  const called = ({ id, cycle }: DonorAges): HeadlinePart[] => [
    strong(nameOf(names, id)),
    plain(isOneCycle ? '' : ` in ${cycle}`),
  ];
  const known = parts.filter((one): one is WithAge => one.middle !== null);
  const [first] = known;
  if (first === undefined)
    return [plain('None of the donors of '), ...called(parts[0]), plain(' has an estimated age.')];
  if (known.length === 1) return alone(first, nameOf(names, first.id));
  const compared = known.filter((one) => allOf(one) - one.unknown >= FEWEST_COMPARED);
  if (compared.length < 2) return alone(first, nameOf(names, first.id), ', the most of these,');
  const byAge = [...compared].sort((a, b) => a.middle.median - b.middle.median);
  const [youngest, oldest] = [byAge[0], byAge[byAge.length - 1]];
  if (youngest.middle.median === oldest.middle.median)
    return [
      plain(`The median age of donors is the same for all ${compared.length} with ${FEWEST_COMPARED} donors or more: `),
      ...ageOf(first),
      plain('.'),
    ];
  return [
    plain(`${isOneCycle ? `In the cycle ${oldest.cycle}, of` : 'Of'} those with ${FEWEST_COMPARED} donors or more, `),
    plain('the oldest donors are those of '),
    ...called(oldest),
    plain(', with a median age of '),
    ...ageOf(oldest),
    plain('; the youngest those of '),
    ...called(youngest),
    plain(', with '),
    ...ageOf(youngest),
    plain('.'),
  ];
}

const ageOf = ({ middle }: WithAge): HeadlinePart[] => [strong(String(middle.median))];

const alone = (one: WithAge, name: string, most = ''): HeadlinePart[] => [
  plain('Donors of '),
  strong(name),
  plain(` in the cycle ${one.cycle}${most} have a median age of `),
  ...ageOf(one),
  plain(`; the middle half are ${one.middle.q25} to ${one.middle.q75}.`),
];

/** ` 12 of 345 donors (3.5 %) have no estimated age …`; nothing where all have one. */
export function withoutAge(parts: readonly DonorAges[]): string {
  const without = parts.reduce((sum, { unknown }) => sum + unknown, 0);
  const all = parts.reduce((sum, one) => sum + allOf(one), 0);
  if (without === 0) return '';
  const share = without / all < 0.001 ? '' : ` (${percent(without / all)})`;
  return ` ${count(without)} of ${count(all)} donors${share} ${without === 1 ? 'has' : 'have'} no estimated age.`;
}
