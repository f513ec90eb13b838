import { execFile } from 'node:child_process';
import { createWriteStream, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import pg from 'pg';
import { sampleItcont, writeSampleFiles } from '@donorlens/fec-sample';
import { type Floor, upsertFloorMs } from './floor';
import { type RunningService } from './service';

const run = promisify(execFile);
const CLI = resolve(__dirname, '../../apps/cli/src/main.js');
const CYCLE = 2024;

interface ImportReports {
  readonly contributions: { readonly stored: number; readonly kept: number };
  readonly charts: { readonly changed: number };
  readonly ms: { readonly contributions: number; readonly charts: number };
}

/** A donorlens command on the service. */
async function command(service: RunningService, ...args: string[]): Promise<ImportReports> {
  const { stdout } = await run(process.execPath, [CLI, ...args, '--json'], {
    maxBuffer: 1 << 28,
    env: { PATH: process.env.PATH, DONORLENS_HOME: service.home, NO_COLOR: '1' },
  });
  return JSON.parse(stdout) as ImportReports;
}

/** Made-up files in a folder of their own, without the marker that says sample. */
async function files(rows: number, seed: number): Promise<{ folder: string; itcont: string }> {
  const folder = mkdtempSync(join(tmpdir(), 'donorlens-bench-fec-'));
  await writeSampleFiles(folder, { rows: 1_000 });
  rmSync(join(folder, 'sample.json'), { force: true });
  const itcont = join(folder, 'itcont.txt');
  await pipeline(Readable.from(sampleItcont({ rows, seed, cycle: CYCLE })), createWriteStream(itcont));
  return { folder, itcont };
}

/** The sample that a first start loads would be in the way, and takes a moment. */
export async function sampleIsIn(service: RunningService): Promise<void> {
  const isBusy = async (): Promise<boolean> => {
    const { current, importing } = (await command(service, 'charts', 'status')) as unknown as Record<string, unknown>;
    return current === null || importing === true;
  };
  while (await isBusy()) await new Promise((done) => setTimeout(done, 500));
}

/** Milliseconds of one import. */
export interface ImportTimes {
  /** Rows kept and stored. */
  readonly rows: number;
  /** The file to enriched, stored rows. */
  readonly contributions: number;
  /** The charts of all of them. */
  readonly charts: number;
  /** The stored rows through a temporary table into a twin of theirs; null where it was not asked for. */
  readonly floor: number | null;
}

const FLOOR: Floor = {
  table: 'contribution',
  key: 'cycle, row_id',
  update: 'record = excluded.record where t.record <> excluded.record',
};

/** A file of contributions to enriched rows, in place of those of the last one; then their floor, where it is wanted. */
export async function importOnce(
  service: RunningService,
  { rows, seed, withFloor }: { readonly rows: number; readonly seed: number; readonly withFloor: boolean },
): Promise<ImportTimes> {
  const { folder, itcont } = await files(rows, seed);
  try {
    await emptied(service.databaseUrl);
    await command(service, 'import', 'fec', '--cycle', String(CYCLE), '--masters', '--source', folder);
    const { contributions, ms } = await command(
      service,
      ...['import', 'fec', '--cycle', String(CYCLE), '--contributions', itcont, '--remove-missing', '--again'],
    );
    const floor = withFloor ? await upsertFloorMs(service.databaseUrl, FLOOR, 'select * from contribution') : null;
    return { rows: contributions.kept, contributions: ms.contributions, charts: ms.charts, floor };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Rows of another file would be removed within the time of this one. */
async function emptied(databaseUrl: string): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  await client.query('truncate contribution, import_seen; checkpoint');
  await client.end();
}
