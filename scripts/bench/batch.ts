import { createReadStream } from 'node:fs';
import { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { type Floor, upsertFloorMs } from './floor';
import { KEY, type RunningService } from './service';

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
  readonly floor: number;
}

const headers = { authorization: `Bearer ${KEY}` };
const LOOK_MS = 25;
const FLOOR: Floor = {
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

/** A file through api, queue and worker, then its floor; nothing of it is left. */
export async function batchOnce(service: RunningService, file: string, rows: number): Promise<BatchTimes> {
  const { url, databaseUrl } = service;
  const start = performance.now();
  const { id } = await submitted(url, file);
  const accepted = performance.now() - start;
  const finished = await completed(url, id);
  const whole = performance.now() - start;
  if (finished.counts.done !== rows) throw new Error(`${finished.counts.done} of ${rows} rows`);
  const worked = Date.parse(finished.finished_at) - Date.parse(finished.started_at);
  const floor = await upsertFloorMs(
    databaseUrl,
    FLOOR,
    `select * from result where batch_id = '${id}' order by row_no`,
  );
  await fetch(`${url}/enrich/v1/batches/${id}`, { method: 'DELETE', headers });
  return { accepted, worked, whole, floor };
}
