import { Readable } from 'node:stream';
import pg from 'pg';
import { from as copyFrom, to as copyTo } from 'pg-copy-streams';
import { pipeline } from 'node:stream/promises';
import { formatCivilDay } from '@donorlens/primitives';
import { KEY, type RunningService } from './service';
import { seeded } from '../seeded';
import { donorWeighted } from './people';
import { peakMemoryMb, perSecond, report, resetPeakMemory } from './measure';

const SURNAMES = ['Smith', 'Garcia', 'Nguyen', 'Johnson', 'Wqzxv', 'Miller', 'Davis', "O'Brien", 'Lopez-Perez', 'Lee'];

function* csv(rows: number): Generator<string> {
  const { names, days } = donorWeighted(100_000);
  const random = seeded(7);
  yield 'id,name,city,state,zip,date,amount\n';
  for (let start = 0; start < rows; start += 1000) {
    let piece = '';
    for (let i = start; i < Math.min(rows, start + 1000); i++) {
      const at = i % names.length;
      const surname = SURNAMES[Math.floor(random() * SURNAMES.length)];
      piece += `${i},"${surname}, ${names[at]}",Springfield,IL,627${10 + (i % 90)},${formatCivilDay(days[at])},${(i % 2700) + 1}\n`;
    }
    yield piece;
  }
}

interface Batch {
  id: string;
  state: string;
  started_at: string;
  finished_at: string;
  counts: { total: number; done: number };
}

const ROLES = ['api', 'worker', 'aggregator'];
const headers = { authorization: `Bearer ${KEY}` };

async function submitted(url: string, rows: number): Promise<Batch> {
  const response = await fetch(`${url}/enrich/v1/batches?type=contributions`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'text/csv' },
    body: Readable.toWeb(Readable.from(csv(rows))) as ReadableStream,
    duplex: 'half',
  } as RequestInit);
  if (response.status !== 202) throw new Error(`${response.status} ${await response.text()}`);
  return (await response.json()) as Batch;
}

async function completed(url: string, id: string): Promise<Batch> {
  for (;;) {
    const batch = (await (await fetch(`${url}/enrich/v1/batches/${id}`, { headers })).json()) as Batch;
    if (batch.state === 'completed') return batch;
    await new Promise((done) => setTimeout(done, 50));
  }
}

/** COPY of the batch's finished rows into an empty twin of their table: the floor for the worker stage. */
async function bareCopyMs(databaseUrl: string, batchId: string): Promise<number> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await client.query('set statement_timeout = 0');
    await client.query('drop table if exists bench_result; create table bench_result (like result including all)');
    const parts: Buffer[] = [];
    const out = client.query(
      copyTo(`copy (select * from result where batch_id = '${batchId}' order by row_no) to stdout`),
    );
    for await (const part of out) parts.push(part as Buffer);
    const start = performance.now();
    await pipeline(Readable.from(parts), client.query(copyFrom('copy bench_result from stdin')));
    const ms = performance.now() - start;
    await client.query('drop table bench_result');
    return ms;
  } finally {
    await client.end();
  }
}

async function readBack(url: string, id: string): Promise<number> {
  const response = await fetch(`${url}/enrich/v1/batches/${id}/results?format=csv`, { headers });
  let lines = 0;
  for await (const part of response.body as unknown as AsyncIterable<Uint8Array>)
    for (let at = part.indexOf(10); at !== -1; at = part.indexOf(10, at + 1)) lines++;
  return lines - 1;
}

/** A CSV through api, queue, worker, Postgres and back out. @returns ns per row of the worker stage */
export async function benchBatch(service: RunningService, rows: number): Promise<number> {
  for (const role of ROLES) resetPeakMemory(service.processes[role]);
  const label = `${rows.toLocaleString('en-US')} rows`;
  const start = performance.now();
  const accepted = await submitted(service.url, rows);
  const acceptMs = performance.now() - start;
  const finished = await completed(service.url, accepted.id);
  if (finished.counts.done !== rows) throw new Error(`${finished.counts.done} of ${rows} rows`);
  const workerMs = Date.parse(finished.finished_at) - Date.parse(finished.started_at);
  const outStart = performance.now();
  const back = await readBack(service.url, accepted.id);
  const outMs = performance.now() - outStart;
  if (back !== rows) throw new Error(`${back} of ${rows} rows came back`);
  const bareMs = await bareCopyMs(service.databaseUrl, accepted.id);
  report(`${label}: accepted (CSV in, chunks stored)`, perSecond(rows, acceptMs));
  report(`${label}: worker stage`, perSecond(rows, workerMs), `${(bareMs / workerMs).toFixed(2)} of a bare COPY`);
  report(`${label}: bare COPY of the same rows`, perSecond(rows, bareMs));
  report(`${label}: results out as CSV`, perSecond(rows, outMs));
  for (const role of ROLES)
    report(`${label}: largest resident set of ${role}`, `${peakMemoryMb(service.processes[role])} MB`);
  await fetch(`${service.url}/enrich/v1/batches/${accepted.id}`, { method: 'DELETE', headers });
  return (workerMs / rows) * 1e6;
}
