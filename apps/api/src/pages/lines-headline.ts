import { firstDayOfCycle, parseCivilDay } from '@donorlens/primitives';
import { type LinesChart } from '../data-charts/donor-charts';
import { type DonorLine, lastOf } from '../data-charts/donor-lines';
import { nameOf } from './drawn-names';
import { type HeadlinePart, plain, sharers, strong } from './headline';
import { count, longDate, percent } from './words';

/** What the lines show, as a sentence. */
export function linesHeadline({ parts, names }: LinesChart): HeadlinePart[] {
  const [most, next] = parts;
  if (parts.length === 1) return alone(most, nameOf(names, most.id));
  const isOneCycle = parts.every(({ cycle }) => cycle === most.cycle);
  const called = (one: DonorLine): HeadlinePart[] => [
    strong(nameOf(names, one.id)),
    plain(isOneCycle ? '' : ` in the cycle ${one.cycle}`),
  ];
  const begin = isOneCycle ? [plain(`In the cycle ${most.cycle}, `)] : [];
  const first = parts.filter((one) => lastOf(one) === lastOf(most));
  if (first.length > 1)
    return [
      ...begin,
      ...sharers(first.map(called), isOneCycle ? 'candidates' : 'candidates and cycles'),
      plain(` had equally many donors, ${people(most)}.`),
    ];
  const end = [strong(people(most)), plain(` by ${longDate(parseCivilDay(most.until))}, ${ratio(most, next)} `)];
  return [
    ...begin,
    ...called(most),
    plain(' had the most donors: '),
    ...end,
    ...called(next),
    plain(isOneCycle && nameOf(names, next.id).endsWith('.') ? '' : '.'),
  ];
}

function alone(one: DonorLine, name: string): HeadlinePart[] {
  const all = lastOf(one);
  const begin = [strong(name), plain(' had '), strong(`${people(one)} donor${all === 1 ? '' : 's'}`)];
  const by = ` by ${longDate(parseCivilDay(one.until))} in the cycle ${one.cycle}`;
  if (all < 2) return [...begin, plain(`${by}.`)];
  const half = firstDayOfCycle(one.cycle) + one.donors.findIndex((donors) => donors >= all / 2);
  return [...begin, plain(`${by}; half of them had given by ${longDate(half)}.`)];
}

const people = (one: DonorLine): string => count(lastOf(one));

function ratio(most: DonorLine, next: DonorLine): string {
  if (lastOf(next) === 0) return 'against none of';
  const times = lastOf(most) / lastOf(next);
  return times < 1.95 ? `${percent(times - 1)} more than` : `${Math.round(times * 10) / 10} times as many as`;
}
