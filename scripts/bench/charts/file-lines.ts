import { createHash } from 'node:crypto';
import { type Readable } from 'node:stream';
import pg from 'pg';
import { type Line, count, line } from '../lines';
import { inTurns, median, ratios } from '../measure';
import { saying } from '../progress';
import { type RunningService } from '../service';
import { HEADER, byCopy, byCopyAsStored, byCursor, endpoint, type FileRoad } from './file-roads';

const OF_CURSOR = 5;
const OF_COPY = 1.5;
const LF = 10;

interface Read {
  readonly lines: number;
  readonly bytes: number;
  readonly sha256: string;
}

/** Contributions as a CSV file: the endpoint, and others who give the same bytes. */
export async function fileLines(service: RunningService, rounds: number): Promise<Line[]> {
  const client = new pg.Client({ connectionString: service.databaseUrl });
  await client.connect();
  try {
    await client.query('set statement_timeout = 0');
    await client.query('vacuum analyze contribution');
    const roads = { raw: endpoint(service, true), cursor: byCursor(client), copy: byCopy(client) };
    const [ours, ...others] = await saying('contributions as CSV: the files are compared', async () => {
      const found: Read[] = [];
      for (const road of Object.values(roads)) found.push(await digest(road));
      return found;
    });
    for (const other of others)
      if (other.sha256 !== ours.sha256) throw new Error(`another file: ${JSON.stringify([ours, ...others])}`);
    const turns = {
      donorlens: () => timed(endpoint(service, false)),
      cursor: () => timed(roads.cursor),
      copy: () => timed(roads.copy),
      stored: () => timed(byCopyAsStored(client)),
    };
    return lines(ours.lines - 1, await inTurns(rounds, turns, 'contributions as CSV'));
  } finally {
    await client.end();
  }
}

/** Its whole text, with nothing between the commas of an empty cell: COPY puts two quotes there. */
async function digest(road: FileRoad): Promise<Read> {
  const hash = createHash('sha256');
  let [lines, bytes] = [0, 0];
  const take = (text: string): void => {
    const plain = Buffer.from(text.replace(/(?<=^|,)""(?=,|$)/gm, ''));
    for (let at = plain.indexOf(LF); at !== -1; at = plain.indexOf(LF, at + 1)) lines++;
    bytes += plain.length;
    hash.update(plain);
  };
  if (!road.hasHeader) take(HEADER);
  await road.run(async (pieces) => {
    let rest = Buffer.alloc(0);
    for await (const piece of pieces as AsyncIterable<Buffer>) {
      const whole = Buffer.concat([rest, piece]);
      const end = whole.lastIndexOf(LF) + 1;
      take(whole.toString('utf8', 0, end));
      rest = whole.subarray(end);
    }
    take(rest.toString());
  });
  return { lines, bytes, sha256: hash.digest('hex') };
}

/** To the last byte. @returns milliseconds */
async function timed(road: FileRoad): Promise<number> {
  const start = performance.now();
  await road.run(async (pieces: Readable) => {
    for await (const piece of pieces) void piece;
  });
  return performance.now() - start;
}

function lines(
  rows: number,
  ms: Readonly<Record<'donorlens' | 'cursor' | 'copy' | 'stored', readonly number[]>>,
): Line[] {
  const rates = (times: readonly number[]): number[] => times.map((each) => rows / each);
  const shown = (rate: number): string => `${count(Math.round(rate))}k rows/s`;
  const label = `contributions as CSV, ${count(rows)} rows`;
  const ofCopy = ratios(ms.donorlens, ms.copy);
  const ofCursor = ratios(ms.cursor, ms.donorlens);
  return [
    line({ what: `${label}: COPY of the same columns TO STDOUT, the floor`, values: rates(ms.copy), shown }),
    line({
      what: `${label}: donorlens over HTTP, its time by that of COPY`,
      values: rates(ms.donorlens),
      shown,
      against: ofCopy,
      reach: [`≤ ${OF_COPY}`, median(ofCopy) <= OF_COPY],
    }),
    line({
      what: `${label}: pg-query-stream and csv-stringify, its time by ours`,
      values: rates(ms.cursor),
      shown,
      against: ofCursor,
      reach: [`≥ ${OF_CURSOR}`, median(ofCursor) >= OF_CURSOR],
    }),
    line({
      what: `${label}: COPY of what is stored, the cells of a row in one text; our time by that`,
      values: rates(ms.stored),
      shown,
      against: ratios(ms.donorlens, ms.stored),
    }),
  ];
}
