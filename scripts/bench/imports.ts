import { execFileSync } from 'node:child_process';
import { createWriteStream, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import pg from 'pg';
import { from as copyFrom, to as copyTo } from 'pg-copy-streams';
import { sampleItcont, writeSampleFiles } from '@donorlens/fec-sample';
import { peakMemoryMb, perSecond, report, resetPeakMemory } from './measure';
import { type RunningService } from './service';

const CLI = resolve(__dirname, '../../apps/cli/src/main.js');
const CYCLE = 2024;
/** The floor holds the rows in memory. */
const MOST_FOR_FLOOR = 1_000_000;
const ROLES = ['api', 'worker', 'aggregator'];

interface ImportReports {
  readonly contributions: { readonly stored: number; readonly kept: number };
  readonly charts: { readonly changed: number };
  readonly ms: { readonly contributions: number; readonly charts: number };
}

/** A donorlens command on the service. */
function command(service: RunningService, ...args: string[]): ImportReports {
  const out = execFileSync(process.execPath, [CLI, ...args, '--json'], {
    encoding: 'utf8',
    maxBuffer: 1 << 28,
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { PATH: process.env.PATH, DONORLENS_HOME: service.home, NO_COLOR: '1' },
  });
  return JSON.parse(out) as ImportReports;
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

/**
 * The floor: the same rows, ready, through COPY into a temporary table and INSERT ... ON CONFLICT into a twin of their
 * table with its indexes. Nothing is read, parsed, enriched or counted there.
 */
async function floorMs(databaseUrl: string): Promise<number> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await client.query('set statement_timeout = 0');
    await client.query('drop table if exists bench_contribution');
    await client.query('create table bench_contribution (like contribution including all)');
    await client.query('create temp table bench_staging (like contribution)');
    const parts: Buffer[] = [];
    for await (const part of client.query(copyTo(`copy (select * from contribution) to stdout`)))
      parts.push(part as Buffer);
    const start = performance.now();
    await client.query('begin');
    await pipeline(Readable.from(parts), client.query(copyFrom('copy bench_staging from stdin')));
    await client.query(
      `insert into bench_contribution select * from bench_staging
       on conflict (cycle, row_id) do update set record = excluded.record where bench_contribution.record <> excluded.record`,
    );
    await client.query('commit');
    const ms = performance.now() - start;
    await client.query('drop table bench_contribution');
    return ms;
  } finally {
    await client.end();
  }
}

/** The sample that a first start loads would be in the way, and takes a moment. */
export async function sampleIsIn(service: RunningService): Promise<void> {
  const isBusy = (): boolean => {
    const { current, importing } = command(service, 'charts', 'status') as unknown as Record<string, unknown>;
    return current === null || importing === true;
  };
  while (isBusy()) await new Promise((done) => setTimeout(done, 500));
}

/** A file of contributions to enriched rows. @returns nanoseconds per row stored */
export async function benchImport(service: RunningService, rows: number): Promise<number> {
  const { folder, itcont } = await files(rows, rows);
  const label = `${rows.toLocaleString('en-US')} contributions`;
  try {
    command(service, 'import', 'fec', '--cycle', String(CYCLE), '--masters', '--source', folder);
    for (const role of ROLES) resetPeakMemory(service.processes[role]);
    const { contributions, ms } = command(
      service,
      ...['import', 'fec', '--cycle', String(CYCLE), '--contributions', itcont, '--remove-missing'],
    );
    const { kept, stored } = contributions;
    report(`${label}: file to enriched, stored rows (${kept} kept)`, perSecond(kept, ms.contributions));
    if (rows <= MOST_FOR_FLOOR) {
      const floor = await floorMs(service.databaseUrl);
      report(
        `${label}: COPY and upsert of the ready rows`,
        perSecond(stored, floor),
        `${(floor / ms.contributions).toFixed(2)} is ours`,
      );
    }
    report(`${label}: charts of all of them`, `${(ms.charts / 1000).toFixed(1)} s`);
    for (const role of ROLES)
      report(`${label}: largest resident set of ${role}`, `${peakMemoryMb(service.processes[role])} MB`);
    return (ms.contributions / kept) * 1e6;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
