import { fork } from 'node:child_process';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import autocannon from 'autocannon';
import { stringify } from 'csv-stringify';
import pg from 'pg';
import QueryStream from 'pg-query-stream';
import { median, perSecond, report } from './measure';
import { KEY, type RunningService } from './service';

const ROUNDS = 5;
const headers = { authorization: `Bearer ${KEY}` };

/** The usual way to a CSV of a query, into nothing. @returns rows and milliseconds */
async function byCursorAndStringify(databaseUrl: string): Promise<{ rows: number; ms: number }> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await client.query('set statement_timeout = 0');
    let rows = 0;
    const start = performance.now();
    const cells = Array.from({ length: 21 }, (_, at) => `split_part(record, chr(28), ${at + 1})`).join(', ');
    const query = new QueryStream(
      `select cycle, committee_id, ${cells}, age, gender, race, pct_white / 100.0, pct_black / 100.0, pct_api / 100.0,
              pct_aian / 100.0, pct_2prace / 100.0, pct_hispanic / 100.0, l.fips, l.tract, l.block, hh_income_median,
              encode(l.address_id, 'hex'), l.outcome, counts_money, counts_donor, count_reason, release_no
       from contribution left join location l using (address_key) order by cycle, committee_id, donor_key, row_id`,
      [],
      { rowMode: 'array', batchSize: 1000 },
    );
    const counted = new Writable({
      write: (piece: Buffer, _, done) => {
        for (let at = piece.indexOf(10); at !== -1; at = piece.indexOf(10, at + 1)) rows++;
        done();
      },
    });
    await pipeline(client.query(query), stringify({ escape_formulas: true }), counted);
    return { rows, ms: performance.now() - start };
  } finally {
    await client.end();
  }
}

async function byEndpoint(url: string): Promise<{ rows: number; ms: number }> {
  const start = performance.now();
  const response = await fetch(`${url}/data-charts/v1/contributions/search?cycle=2022&cycle=2024&cycle=2026`, {
    headers,
  });
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
  let lines = 0;
  for await (const part of response.body as unknown as AsyncIterable<Uint8Array>)
    for (let at = part.indexOf(10); at !== -1; at = part.indexOf(10, at + 1)) lines++;
  return { rows: lines - 1, ms: performance.now() - start };
}

async function benchFile({ url, databaseUrl }: RunningService): Promise<void> {
  const ours = await byEndpoint(url);
  const usual = await byCursorAndStringify(databaseUrl);
  const again = await byEndpoint(url);
  const ms = Math.min(ours.ms, again.ms);
  const ratio = usual.ms / usual.rows / (ms / ours.rows);
  report(`contributions as CSV over HTTP, ${ours.rows.toLocaleString('en-US')} rows`, perSecond(ours.rows, ms));
  report(
    'the same by pg-query-stream and csv-stringify',
    perSecond(usual.rows, usual.ms),
    `${ratio.toFixed(1)} times that`,
  );
}

async function benchCached(url: string): Promise<void> {
  const asked = `${url}/data-charts/v1/cumulative_donors/candidate?cycle=2024`;
  const body = Buffer.from(await (await fetch(asked, { headers })).arrayBuffer());
  const bare = fork(join(__dirname, 'bytes-server.js'));
  const port = new Promise<number>((done) => bare.once('message', (message: { port: number }) => done(message.port)));
  bare.send({ body: body.toString('base64') });
  const load = async (target: string): Promise<number> => {
    const result = await autocannon({ url: target, headers, connections: 8, duration: 2 });
    if (result.non2xx > 0 || result.errors > 0) throw new Error(`${target}: ${result.non2xx} non-2xx`);
    return result.requests.average;
  };
  const pairs: [number, number][] = [];
  for (let round = 0; round <= ROUNDS; round++) {
    const pair: [number, number] = [await load(asked), await load(`http://127.0.0.1:${await port}/`)];
    if (round > 0) pairs.push(pair); // the first warms up
  }
  bare.disconnect();
  report(
    `cached chart of ${Math.round(body.length / 1000)} kB`,
    `${Math.round(median(pairs.map(([ours]) => ours)))} req/s`,
    `${median(pairs.map(([ours, floor]) => ours / floor)).toFixed(2)} of a bare node:http server`,
  );
}

export async function benchCharts(service: RunningService): Promise<void> {
  await benchCached(service.url);
  await benchFile(service);
}
