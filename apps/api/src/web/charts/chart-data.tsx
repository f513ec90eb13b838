import { firstDayOfCycle, formatCivilDay } from '@donorlens/primitives';
import { type VNode } from 'preact';
import { type DonorAges, type DonorLine } from '../../charts/donor-series';
import { type Frame } from '../layout/picture';
import { GROUP_YEARS, groupsOf } from './ages/ages-chart';
import { daysOf } from './lines/lines-geometry';

const idOf = ({ id, cycle }: { readonly id: string; readonly cycle: number }): string => `${id}-${cycle}`;

/** A data block: browsers do not run it. `<` would end it in a name. */
export const DataBlock = ({ data }: { readonly data: object }): VNode => (
  <script
    id="chart-data"
    type="application/json"
    dangerouslySetInnerHTML={{ __html: JSON.stringify(data).replaceAll('<', '\\u003c') }}
  />
);

interface Named<T> {
  readonly parts: readonly T[];
  /** a name for each part */
  readonly names: readonly string[];
}

/** New donors by day from the first of the cycle: shorter than their sums. */
export function LinesData({ parts, names }: Named<DonorLine>): VNode {
  const longest = parts.reduce((most, one) => (daysOf(one.cycle) > daysOf(most.cycle) ? one : most));
  const data = {
    ...{ kind: 'days', file: 'cumulative-donors', first: 0, domain: [0, daysOf(longest.cycle) - 1] },
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
  /** that of any histogram */
  readonly frame: Frame;
  /** What is counted, in the plural. */
  readonly people?: 'donors' | 'people';
}

/** Donors, or people, by group of five years. */
export function AgesData({ parts, names, frame, people = 'donors' }: AgesProps): VNode {
  const [from, to] = frame.x.domain();
  const data = {
    ...{ kind: 'ages', file: `ages-of-${people}`, people, step: GROUP_YEARS, domain: [from, to] },
    first: from / GROUP_YEARS,
    last: to / GROUP_YEARS - 1,
    series: parts.map((one, at) => ({
      ...{ id: idOf(one), name: names[at], known: one.known },
      values: groupsOf(one).map((donors) => Math.round(donors)),
    })),
  };
  return <DataBlock data={data} />;
}
