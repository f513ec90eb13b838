import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findPostgresBinaries, startPostgres } from '@donorlens/local-servers';
import { openRelease } from '@donorlens/reference-data';
import { whole, wholes } from '../../proof/options';
import { part, type Report } from '../../proof/report';
import { type Line, reportOf } from '../lines';
import { compiledRelease } from '../people';
import { type RoadTimes, fileToRows } from './file-to-rows';
import { MadeUpFile } from './made-up-file';
import { queueOverhead } from './queue-overhead';
import { throughService } from './through-service';
import { growthLines, queueLine, roadLines, serviceLines } from './table';

interface Found {
  readonly roads: readonly RoadTimes[];
  readonly queue: Awaited<ReturnType<typeof queueOverhead>>;
  readonly postgres: string;
}

const options = { rows: wholes(1_000_000), rounds: whole(5, 1) };

/** From a file to enriched rows in Postgres, in one process. */
export const pipeline = part({
  what: 'a file to enriched rows, in one process',
  options,
  async run({ rows: sizes, rounds }) {
    const { roads, queue, postgres } = await inOneProcess(await compiledRelease(), sizes, rounds);
    return tableOf(
      [...roads.flatMap(roadLines), ...growthLines(roads), ...(queue ? queue.times.map(queueLine) : [])],
      [`PostgreSQL ${postgres}`, ...(queue ? [`Redis ${queue.redis}`] : [])],
    );
  },
});

/** The same rows through api, queue and worker. */
export const service = part({
  what: 'a file to enriched rows, through the service',
  options,
  async run({ rows: sizes, rounds }) {
    const madeUp = new MadeUpFile(openRelease(await compiledRelease()));
    return tableOf((await throughService(madeUp, sizes, rounds)).flatMap(serviceLines), []);
  },
});

async function inOneProcess(
  releaseBytes: Uint8Array<ArrayBuffer>,
  sizes: readonly number[],
  rounds: number,
): Promise<Found> {
  const folder = mkdtempSync(join(tmpdir(), 'donorlens-bench-'));
  chmodSync(folder, 0o711); // as root, Postgres runs as another user, who has to pass
  const binaries = findPostgresBinaries(process.env.PATH ?? '');
  const postgres = await startPostgres({
    dataDir: join(folder, 'postgres'),
    logFile: join(folder, 'postgres.log'),
    binaries,
  });
  try {
    const databaseUrl = postgres.url;
    const roads = await fileToRows({ databaseUrl, folder, releaseBytes, sizes, rounds });
    const release = openRelease(releaseBytes);
    const file = join(folder, 'itcont');
    await new MadeUpFile(release).write(file, Math.min(...sizes));
    const queue = await queueOverhead({ databaseUrl, folder, file, release, rounds });
    return { roads, queue, postgres: postgres.version };
  } finally {
    await postgres.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

const tableOf = (lines: readonly Line[], versions: readonly string[]): Report =>
  reportOf(lines, {
    notes: [
      'A ratio is that of two times of one round: the floor’s by ours, so that 1 is as fast as the floor. Values are compared row by row before a round is timed.',
    ],
    versions,
  });
