import { median, ratios, spread } from '../measure';
import { type RoadName, type RoadTimes } from './file-to-rows';
import { type QueueTimes } from './queue-overhead';
import { type ServiceTimes } from './through-service';

/** A line of the table. */
export interface Line {
  readonly cells: readonly string[];
  readonly isReached: boolean;
}

const OF_BARE_COPY = 0.73;
const OF_UPSERT = 0.7;
const QUEUE_OVERHEAD = 1.05;
const GROWTH = 1.2;
const RESIDENT_MB = 400;

const count = (rows: number): string => rows.toLocaleString('en-US');
const rate = (perSecond: number): string => `${count(Math.round(perSecond / 1000))}k rows/s`;
const twoDigits = (value: number): string => value.toFixed(2);

/** How fast, and against what; `reach` null for a line that only informs. */
function line(
  what: string,
  rows: number,
  ms: readonly number[],
  against?: readonly number[],
  reach?: [string, boolean],
): Line {
  const rates = ms.map((each) => (rows / each) * 1000);
  return {
    cells: [
      what,
      rate(median(rates)),
      spread(rates, rate),
      against ? twoDigits(median(against)) : '',
      against ? spread(against, twoDigits) : '',
      reach ? reach[0] : '',
    ],
    isReached: reach ? reach[1] : true,
  };
}

const fact = (what: string, value: string, reach: string, isReached: boolean): Line => ({
  cells: [what, value, '', '', '', reach],
  isReached,
});

const ROADS: Readonly<Record<RoadName, string>> = {
  bare: 'bare COPY of the finished rows, one connection: the floor',
  ours: 'donorlens: read, cut, enriched, written, one process and one connection',
  sql: 'SQL: COPY of the file, parallel CREATE TABLE AS with joins, the indexes',
  duck: 'DuckDB: read and joined by two threads, piped into COPY',
};

export function roadLines({ rows, times, residentMb }: RoadTimes): Line[] {
  const against = (name: RoadName): number[] => ratios(times.bare, times[name]);
  const ours = median(against('ours'));
  const isAhead = ours > median(against('sql')) && ours > median(against('duck'));
  const label = (name: RoadName): string => `${count(rows)} rows, ${ROADS[name]}`;
  return [
    line(label('bare'), rows, times.bare),
    line(label('ours'), rows, times.ours, against('ours'), [
      `≥ ${OF_BARE_COPY}, ahead of the next two`,
      ours >= OF_BARE_COPY && isAhead,
    ]),
    line(label('sql'), rows, times.sql, against('sql')),
    line(label('duck'), rows, times.duck, against('duck')),
    fact(
      `${count(rows)} rows, largest resident set of our process`,
      `${residentMb} MB`,
      `< ${RESIDENT_MB} MB`,
      residentMb < RESIDENT_MB,
    ),
  ];
}

/** Time of a row in the largest file against that in the smallest. */
export function growthLines(roads: readonly RoadTimes[]): Line[] {
  if (roads.length < 2) return [];
  const [small, large] = [roads[0], roads[roads.length - 1]];
  const growth = ratios(
    large.times.ours.map((ms) => ms / large.rows),
    small.times.ours.map((ms) => ms / small.rows),
  );
  return [
    fact(
      `a row of ${count(large.rows)} against one of ${count(small.rows)}`,
      `${twoDigits(median(growth))} times the time, ${spread(growth, twoDigits)}`,
      `≤ ${GROWTH} times`,
      median(growth) <= GROWTH,
    ),
  ];
}

export function queueLines(queue: QueueTimes): Line[] {
  const overhead = ratios(queue.with, queue.without);
  const percent = (ratio: number): string => `${((ratio - 1) * 100).toFixed(1)} %`;
  return [
    fact(
      'chunks claimed, enriched and committed by the queue against a loop',
      `${percent(median(overhead))} more time, ${spread(overhead, percent)}`,
      '< 5 % more',
      median(overhead) < QUEUE_OVERHEAD,
    ),
  ];
}

export function serviceLines({ what, rows, floor, stages, residentMb }: ServiceTimes): Line[] {
  const label = `${count(rows)} rows, ${what}`;
  return [
    line(`${label}: finished rows by COPY and INSERT ... ON CONFLICT, the floor`, rows, floor),
    ...stages.map(({ name, ms, isWhole }) => {
      const against = ratios(floor, ms);
      return line(
        `${label}: ${name}`,
        rows,
        ms,
        against,
        isWhole ? [`≥ ${OF_UPSERT}`, median(against) >= OF_UPSERT] : undefined,
      );
    }),
    ...Object.entries(residentMb).map(([role, mb]) =>
      fact(`${label}, largest resident set of the ${role}`, `${mb} MB`, `< ${RESIDENT_MB} MB`, mb < RESIDENT_MB),
    ),
  ];
}
