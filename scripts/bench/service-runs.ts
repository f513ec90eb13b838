import pg from 'pg';
import { sampleItcont, writeSampleFiles } from '@donorlens/fec-sample';
import { execFile } from 'node:child_process';
import { createReadStream, createWriteStream, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { from as copyFrom, to as copyTo } from 'pg-copy-streams';
import { builtApp, until } from '../../test/support/installation';
import { type Batch, HEADERS } from '../resilience/support/batch-client';
import { type RunningService } from './service';

/** Table that a baseline writes. */
export interface Baseline {
  readonly table: string;
  /** Columns of its primary key. */
  readonly key: string;
  /** Update clause for an existing row; `t` is the copy of the table. */
  readonly update: string;
}

/**
 * Baseline of an idempotent write: finished rows in memory, COPY into a temporary table, then INSERT ... ON CONFLICT
 * into an empty copy of their table with its indexes, in one transaction. Does not read, parse, enrich or count.
 * @param rows - query that selects the rows
 * @returns milliseconds
 */
export async function upsertBaselineMs(
  databaseUrl: string,
  { table, key, update }: Baseline,
  rows: string,
): Promise<number> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await client.query(
      `set statement_timeout = 0; drop table if exists bench_twin;
       create table bench_twin (like ${table} including all); create temp table bench_staging (like ${table})`,
    );
    const parts: Buffer[] = [];
    for await (const part of client.query(copyTo(`copy (${rows}) to stdout`))) parts.push(part as Buffer);
    await client.query('checkpoint');
    const start = performance.now();
    await client.query('begin');
    await pipeline(Readable.from(parts), client.query(copyFrom('copy bench_staging from stdin')));
    await client.query(
      `insert into bench_twin as t select * from bench_staging on conflict (${key}) do update set ${update}`,
    );
    await client.query('commit');
    const ms = performance.now() - start;
    await client.query('drop table bench_twin');
    return ms;
  } finally {
    await client.end();
  }
}

/** Milliseconds of one batch. */
export interface BatchTimes {
  /** From the first byte sent until the 202. */
  readonly accepted: number;
  /** From the first claimed chunk to the last stored one. */
  readonly worked: number;
  /** From the first byte sent until the batch is completed. */
  readonly whole: number;
  /** Baseline of the same rows. */
  readonly baseline: number;
}

const END_MS = 3_600_000;
const BATCH_BASELINE: Baseline = {
  table: 'result',
  key: 'batch_id, row_no',
  update: 'source = excluded.source where t.source <> excluded.source',
};

async function submitted(url: string, file: string): Promise<Batch> {
  const response = await fetch(`${url}/enrich/v1/batches?type=contributions`, {
    method: 'POST',
    headers: { ...HEADERS, 'content-type': 'text/csv' },
    body: Readable.toWeb(createReadStream(file, { highWaterMark: 256 * 1024 })) as ReadableStream,
    duplex: 'half',
  } as RequestInit);
  if (response.status !== 202) throw new Error(`${response.status} ${await response.text()}`);
  return (await response.json()) as Batch;
}

/** Sends a file through api, queue and worker, measures the baseline, and deletes the batch. */
export async function batchOnce(service: RunningService, file: string, rows: number): Promise<BatchTimes> {
  const { url, databaseUrl, client } = service;
  const start = Date.now();
  const { id } = await submitted(url, file);
  const accepted = Date.now() - start;
  const { state, counts, started_at: startedAt, finished_at: finishedAt } = await client.ended(id, END_MS);
  if (state !== 'completed' || counts.done !== rows) throw new Error(`${state}, ${counts.done} of ${rows} rows`);
  const whole = Date.parse(finishedAt) - start;
  const worked = Date.parse(finishedAt) - Date.parse(startedAt);
  const baseline = await upsertBaselineMs(
    databaseUrl,
    BATCH_BASELINE,
    `select * from result where batch_id = '${id}' order by row_no`,
  );
  await client.answer(`/enrich/v1/batches/${id}`, { method: 'DELETE' });
  return { accepted, worked, whole, baseline };
}

const run = promisify(execFile);
export const CYCLE = 2024;

interface ImportReports {
  readonly contributions: { readonly kept: number };
  readonly ms: { readonly contributions: number };
}

/** Runs a donorlens command against the service. */
export async function command(service: RunningService, ...args: string[]): Promise<ImportReports> {
  const { stdout } = await run(process.execPath, [builtApp('cli'), ...args, '--json'], {
    maxBuffer: 1 << 28,
    env: { PATH: process.env.PATH, DONORLENS_HOME: service.home, NO_COLOR: '1' },
  });
  return JSON.parse(stdout) as ImportReports;
}

/** Writes synthetic files to a new folder, without the marker file of sample data. */
async function files(contributions: Iterable<Buffer>): Promise<{ folder: string; itcont: string }> {
  const folder = mkdtempSync(join(tmpdir(), 'donorlens-bench-fec-'));
  await writeSampleFiles(folder, { rows: 1_000 });
  rmSync(join(folder, 'sample.json'), { force: true });
  const itcont = join(folder, 'itcont.txt');
  await pipeline(Readable.from(contributions), createWriteStream(itcont));
  return { folder, itcont };
}

/** Waits until the first start has imported the sample and computed its charts. */
export async function untilSampleIsImported(service: RunningService): Promise<void> {
  const hasCharts = async (): Promise<boolean> => {
    const { current, importing } = (await command(service, 'charts', 'status')) as unknown as Record<string, unknown>;
    return current !== null && importing !== true;
  };
  await until('the sample is imported', hasCharts, END_MS);
}

/**
 * Imports a synthetic file of contributions that replaces the previous one.
 * @param contributions - bytes of the file; by default a sample of `rows` lines
 * @returns number of stored rows, and milliseconds
 */
export async function importOnce(
  service: RunningService,
  rows: number,
  contributions: Iterable<Buffer> = sampleItcont({ rows, seed: rows, cycle: CYCLE }),
): Promise<{ readonly rows: number; readonly ms: number }> {
  const { folder, itcont } = await files(contributions);
  try {
    await truncateContributions(service.databaseUrl);
    await command(service, 'import', 'fec', '--cycle', String(CYCLE), '--masters', '--source', folder);
    const { contributions: report, ms } = await command(
      service,
      ...['import', 'fec', '--cycle', String(CYCLE), '--contributions', itcont, '--remove-missing', '--again'],
    );
    return { rows: report.kept, ms: ms.contributions };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Baseline of the last import. @returns milliseconds */
export const importBaselineMs = ({ databaseUrl }: RunningService): Promise<number> =>
  upsertBaselineMs(
    databaseUrl,
    {
      table: 'contribution',
      key: 'cycle, row_id',
      update: 'record = excluded.record where t.record <> excluded.record',
    },
    'select * from contribution',
  );

/** Deletes the rows of the previous import; otherwise the next import would need time to remove them. */
async function truncateContributions(databaseUrl: string): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  await client.query('truncate contribution; checkpoint');
  await client.end();
}
