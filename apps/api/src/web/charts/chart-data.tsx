import { baseLetters } from '@donorlens/demographics';
import { firstDayOfCycle, formatCivilDay } from '@donorlens/primitives';
import { type VNode } from 'preact';
import { type Lists } from '../../charts/list-parameters';
import { type DonorAges, type DonorLine } from '../../charts/donor-series';
import { type DataTable } from '../../charts/data-tables';
import { type Frame } from '../layout/picture';
import { GROUP_YEARS, groupsOf } from './ages/ages-chart';
import { chartsUrl, type RequestContext } from './chart-subject';
import { daysOf } from './lines/lines-geometry';

const idOf = ({ id, cycle }: { readonly id: string; readonly cycle: number }): string => `${id}-${cycle}`;

const MAX_FILE_NAME = 120;

/** `cumulative-donors-clinton-trump-2016`: letters, digits and hyphens. Omits years that the names already contain. */
export function fileName(kind: string, names: readonly string[], dates: readonly (string | number)[]): string {
  const years = [...new Set(dates.map(String))].filter((date) => !names.some((name) => name.endsWith(date)));
  return [kind, ...new Set(names), ...years]
    .map((part) =>
      baseLetters(part)
        .toLowerCase()
        .replace(/[^a-z0-9]+/g, '-')
        .replace(/^-|-$/g, ''),
    )
    .filter((part) => part !== '')
    .join('-')
    .slice(0, MAX_FILE_NAME);
}

/** URL of a file with a descriptive file name. */
export function fileUrl(
  { path }: Pick<DataTable, 'path'>,
  lists: Lists,
  names: readonly string[],
  context: RequestContext,
  format: string,
): string {
  const filename = fileName([path.split('/')[0], ...(lists.by ?? [])].join(), names, lists.cycle ?? []);
  return `${chartsUrl(path, lists, context, format)}&filename=${filename}`;
}

const cyclesOf = (parts: readonly { readonly cycle: number }[]): number[] => parts.map(({ cycle }) => cycle);

/** A data block, which browsers do not run. It escapes `<`, because `</script>` in a name would end the block. */
export const DataBlock = ({ data }: { readonly data: object }): VNode => (
  <script
    class="chart-data"
    type="application/json"
    dangerouslySetInnerHTML={{ __html: JSON.stringify(data).replaceAll('<', '\\u003c') }}
  />
);

interface Named<T> {
  readonly parts: readonly T[];
  /** a name for each part */
  readonly names: readonly string[];
}

/** New donors by day from the first of the cycle, because these numbers are shorter than their sums. */
export function LinesData({ parts, names }: Named<DonorLine>): VNode {
  const longest = parts.reduce((most, one) => (daysOf(one.cycle) > daysOf(most.cycle) ? one : most));
  const data = {
    ...{
      kind: 'days',
      file: fileName('cumulative-donors', names, cyclesOf(parts)),
      first: 0,
      domain: [0, daysOf(longest.cycle) - 1],
    },
    last: Math.max(...parts.map(({ donors }) => donors.length)) - 1,
    start: formatCivilDay(firstDayOfCycle(longest.cycle)),
    isOneCycle: parts.every(({ cycle }) => cycle === longest.cycle),
    series: parts.map((one, at) => ({
      id: idOf(one),
      name: names[at],
      values: one.donors.map((donors, day) => donors - (one.donors[day - 1] ?? 0)),
    })),
  };
  return <DataBlock data={data} />;
}

interface AgesProps extends Named<DonorAges> {
  /** frame of any histogram */
  readonly frame: Frame;
  /** What is counted, in the plural. */
  readonly people?: 'donors' | 'people';
  /** ids of the series in the URL fragment; by default from committee and cycle of each part */
  readonly ids?: readonly string[];
}

/** Donors, or people, by group of five years. */
export function AgesData({ parts, names, frame, people = 'donors', ids = parts.map(idOf) }: AgesProps): VNode {
  const [from, to] = frame.x.domain();
  const data = {
    ...{
      kind: 'ages',
      file: fileName(`ages-of-${people}`, names, cyclesOf(parts)),
      people,
      step: GROUP_YEARS,
      domain: [from, to],
    },
    first: from / GROUP_YEARS,
    last: to / GROUP_YEARS - 1,
    series: parts.map((one, at) => ({
      ...{ id: ids[at], name: names[at], known: one.known },
      values: groupsOf(one).map((donors) => Math.round(100 * donors) / 100), // expected numbers
    })),
  };
  return <DataBlock data={data} />;
}
