import { type Line, type Reach, count, fact, line, twoDigits } from '../lines';
import { median, ratios, spread } from '../measure';
import { type RoadName, type RoadTimes } from './file-to-rows';
import { type QueueTimes } from './queue-overhead';
import { type ServiceTimes } from './through-service';

const OF_BARE_COPY = 0.73;
const OF_UPSERT = 0.7;
const QUEUE_OVERHEAD = 1.05;
const GROWTH = 1.2;
const RESIDENT_MB = 400;

const shown = (perSecond: number): string => `${count(Math.round(perSecond / 1000))}k rows/s`;
const rateLine = (
  what: string,
  rows: number,
  ms: readonly number[],
  against?: readonly number[],
  reach?: Reach,
): Line => line({ what, values: ms.map((each) => (rows / each) * 1000), shown, against, reach });

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
    rateLine(label('bare'), rows, times.bare),
    rateLine(label('ours'), rows, times.ours, against('ours'), [
      `≥ ${OF_BARE_COPY}, ahead of the next two`,
      ours >= OF_BARE_COPY && isAhead,
    ]),
    rateLine(label('sql'), rows, times.sql, against('sql')),
    rateLine(label('duck'), rows, times.duck, against('duck')),
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

export function queueLine({ chunkRows, ...times }: QueueTimes): Line {
  const overhead = ratios(times.with, times.without);
  const percent = (ratio: number): string => `${((ratio - 1) * 100).toFixed(1)} %`;
  return fact(
    `chunks of ${count(chunkRows)} claimed, enriched and committed by the queue against a loop`,
    `${percent(median(overhead))} more time, ${spread(overhead, percent)}`,
    '< 5 % more',
    median(overhead) < QUEUE_OVERHEAD,
  );
}

export function serviceLines({ what, rows, floor, stages, residentMb }: ServiceTimes): Line[] {
  const label = `${count(rows)} rows, ${what}`;
  return [
    rateLine(`${label}: finished rows by COPY and INSERT ... ON CONFLICT, the floor`, rows, floor),
    ...stages.map(({ name, ms, isWhole }) => {
      const against = ratios(floor, ms);
      return rateLine(
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
