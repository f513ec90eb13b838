import { findPostgresBinaries, startPostgres } from '@donorlens/local-servers';
import { openRelease } from '@donorlens/reference-data';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { count, fact, line, type Line, median, ratios, type Target, reportOf, spread, twoDigits } from '../measure';
import { fileToRows, type MethodName, type MethodTimes } from './file-to-rows';
import { queueOverhead, type QueueTimes } from './queue-overhead';
import { type ServiceTimes, throughService } from './through-service';
import { whole, wholes } from '../../command/options';
import { command, type Report } from '../../command/report';
import { Installation } from '../../../test/support/installation';
import { compiledRelease } from '../../../test/support/bench-data/donors';
import { SyntheticItcont } from '../../../test/support/bench-data/synthetic-itcont';

const options = { rows: wholes(1_000_000), rounds: whole(5, 1) };

/** Measures a file to enriched rows in Postgres, in one process. */
export const pipeline = command({
  what: 'a file to enriched rows, in one process',
  options,
  async run({ rows: sizes, rounds }) {
    return tableOf(await inOneProcess(await compiledRelease(), sizes, rounds));
  },
});

/** Measures the same rows through api, queue and worker. */
export const service = command({
  what: 'a file to enriched rows, through the service',
  options,
  async run({ rows: sizes, rounds }) {
    const synthetic = new SyntheticItcont(openRelease(await compiledRelease()));
    return tableOf((await throughService(synthetic, sizes, rounds)).flatMap(serviceLines));
  },
});

async function inOneProcess(
  releaseBytes: Uint8Array<ArrayBuffer>,
  sizes: readonly number[],
  rounds: number,
): Promise<Line[]> {
  const folder = mkdtempSync(join(tmpdir(), 'donorlens-bench-'));
  chmodSync(folder, 0o711); // as root, Postgres runs as another user, which needs access
  const binaries = findPostgresBinaries(process.env.PATH ?? '');
  const postgres = await startPostgres({
    dataDir: join(folder, 'postgres'),
    logFile: join(folder, 'postgres.log'),
    binaries,
  });
  try {
    const databaseUrl = postgres.url;
    const methods = await fileToRows({ databaseUrl, folder, releaseBytes, sizes, rounds });
    const release = openRelease(releaseBytes);
    const file = join(folder, 'itcont');
    await new SyntheticItcont(release).write(file, Math.min(...sizes));
    const queue = await queueOverhead({ databaseUrl, folder, file, release, rounds });
    Installation.versions.add(`PostgreSQL ${postgres.version}`);
    return [...methods.flatMap(methodLines), ...growthLines(methods), ...queue.map(queueLine)];
  } finally {
    await postgres.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

const tableOf = (lines: readonly Line[]): Report =>
  reportOf(
    lines,
    'A ratio is that of two times of one round: the baseline’s by ours, so that 1 is as fast as the baseline. Values are compared row by row before a round is timed.',
  );

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
  target?: Target,
): Line => line({ what, values: ms.map((each) => (rows / each) * 1000), shown, against, target });

const METHODS: Readonly<Record<MethodName, string>> = {
  bare: 'bare COPY of the finished rows, one connection: the baseline',
  ours: 'donorlens: read, cut, enriched, written, one process and one connection',
  sql: 'SQL: COPY of the file, parallel CREATE TABLE AS with joins, the indexes',
};

function methodLines({ rows, times, residentMb }: MethodTimes): Line[] {
  const against = (name: MethodName): number[] => ratios(times.bare, times[name]);
  const ours = median(against('ours'));
  const label = (name: MethodName): string => `${count(rows)} rows, ${METHODS[name]}`;
  return [
    rateLine(label('bare'), rows, times.bare),
    rateLine(label('ours'), rows, times.ours, against('ours'), [
      `≥ ${OF_BARE_COPY}, ahead of SQL`,
      ours >= OF_BARE_COPY && ours > median(against('sql')),
    ]),
    rateLine(label('sql'), rows, times.sql, against('sql')),
    fact(
      `${count(rows)} rows, largest resident set of our process`,
      `${residentMb} MB`,
      `< ${RESIDENT_MB} MB`,
      residentMb < RESIDENT_MB,
    ),
  ];
}

/** Time per row of the largest file divided by that of the smallest. */
function growthLines(methods: readonly MethodTimes[]): Line[] {
  if (methods.length < 2) return [];
  const [small, large] = [methods[0], methods[methods.length - 1]];
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

function queueLine({ chunkRows, ...times }: QueueTimes): Line {
  const overhead = ratios(times.with, times.without);
  const percent = (ratio: number): string => `${((ratio - 1) * 100).toFixed(1)} %`;
  return fact(
    `chunks of ${count(chunkRows)} claimed, enriched and committed by the queue against a loop`,
    `${percent(median(overhead))} more time, ${spread(overhead, percent)}`,
    '< 5 % more',
    median(overhead) < QUEUE_OVERHEAD,
  );
}

function serviceLines({ what, rows, baseline, stages, residentMb }: ServiceTimes): Line[] {
  const label = `${count(rows)} rows, ${what}`;
  return [
    rateLine(`${label}: finished rows by COPY and INSERT ... ON CONFLICT, the baseline`, rows, baseline),
    ...stages.map(({ name, ms, isWhole }) => {
      const against = ratios(baseline, ms);
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
