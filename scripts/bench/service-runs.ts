import pg from 'pg';
import { sampleItcont, writeSampleFiles } from '@donorlens/fec-sample';
import { execFile } from 'node:child_process';
import { createReadStream, createWriteStream, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { from as copyFrom, to as copyTo } from 'pg-copy-streams';
import { KEY, type RunningService } from './service';

/** Where ready rows go. */
export interface Baseline {
  readonly table: string;
  /** Columns that tell its rows apart. */
  readonly key: string;
  /** What is to be done where a row is there; `t` is the twin. */
  readonly update: string;
}

/**
 * The baseline of an idempotent store: ready rows from memory, through COPY into a temporary table and INSERT ... ON
 * CONFLICT into a twin of their table with its indexes, one connection, one transaction. Nothing is read, parsed,
 * enriched or counted there.
 * @param rows query for them, the columns of the table
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

interface Batch {
  id: string;
  state: string;
  started_at: string;
  finished_at: string;
  counts: { total: number; done: number };
}

/** Milliseconds of one batch. */
export interface BatchTimes {
  /** From the first byte sent until it is accepted: read, checked, stored in chunks. */
  readonly accepted: number;
  /** From the first chunk taken to the last one stored. */
  readonly worked: number;
  /** From the first byte sent until it is completed. */
  readonly whole: number;
  /** Its rows through a temporary table into a twin of theirs. */
  readonly baseline: number;
}

const headers = { authorization: `Bearer ${KEY}` };
const LOOK_MS = 25;
const BATCH_BASELINE: Baseline = {
  table: 'result',
  key: 'batch_id, row_no',
  update: 'source = excluded.source where t.source <> excluded.source',
};

async function submitted(url: string, file: string): Promise<Batch> {
  const response = await fetch(`${url}/enrich/v1/batches?type=contributions`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'text/csv' },
    body: Readable.toWeb(createReadStream(file, { highWaterMark: 256 * 1024 })) as ReadableStream,
    duplex: 'half',
  } as RequestInit);
  if (response.status !== 202) throw new Error(`${response.status} ${await response.text()}`);
  return (await response.json()) as Batch;
}

async function completed(url: string, id: string): Promise<Batch> {
  for (;;) {
    const batch = (await (await fetch(`${url}/enrich/v1/batches/${id}`, { headers })).json()) as Batch;
    if (batch.state === 'completed') return batch;
    await pause(LOOK_MS);
  }
}

/** A file through api, queue and worker, then its baseline; nothing of it is left. */
export async function batchOnce(service: RunningService, file: string, rows: number): Promise<BatchTimes> {
  const { url, databaseUrl } = service;
  const start = performance.now();
  const { id } = await submitted(url, file);
  const accepted = performance.now() - start;
  const finished = await completed(url, id);
  const whole = performance.now() - start;
  if (finished.counts.done !== rows) throw new Error(`${finished.counts.done} of ${rows} rows`);
  const worked = Date.parse(finished.finished_at) - Date.parse(finished.started_at);
  const baseline = await upsertBaselineMs(
    databaseUrl,
    BATCH_BASELINE,
    `select * from result where batch_id = '${id}' order by row_no`,
  );
  await fetch(`${url}/enrich/v1/batches/${id}`, { method: 'DELETE', headers });
  return { accepted, worked, whole, baseline };
}

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

/** Synthetic files in a folder of their own, without the marker that says sample. */
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
  readonly baseline: number | null;
}

const IMPORT_BASELINE: Baseline = {
  table: 'contribution',
  key: 'cycle, row_id',
  update: 'record = excluded.record where t.record <> excluded.record',
};

/** A file of contributions to enriched rows, in place of those of the last one; then their baseline, where it is wanted. */
export async function importOnce(
  service: RunningService,
  { rows, seed, withBaseline }: { readonly rows: number; readonly seed: number; readonly withBaseline: boolean },
): Promise<ImportTimes> {
  const { folder, itcont } = await files(rows, seed);
  try {
    await emptied(service.databaseUrl);
    await command(service, 'import', 'fec', '--cycle', String(CYCLE), '--masters', '--source', folder);
    const { contributions, ms } = await command(
      service,
      ...['import', 'fec', '--cycle', String(CYCLE), '--contributions', itcont, '--remove-missing', '--again'],
    );
    const baseline = withBaseline
      ? await upsertBaselineMs(service.databaseUrl, IMPORT_BASELINE, 'select * from contribution')
      : null;
    return { rows: contributions.kept, contributions: ms.contributions, charts: ms.charts, baseline };
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
