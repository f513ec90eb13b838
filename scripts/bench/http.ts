import { fork } from 'node:child_process';
import { join } from 'node:path';
import autocannon from 'autocannon';
import { formatCivilDay } from '@donorlens/primitives';
import { donorWeighted } from './people';
import { median, report } from './measure';

const QUERIES = 1000;
const ROUNDS = 5;

/** Bulk POST of 1,000 queries against a bare node:http echo of the same body, in turns. */
export async function benchHttp(url: string, key: string): Promise<void> {
  const { names, days } = donorWeighted(QUERIES);
  const body = JSON.stringify({ queries: names.map((name, i) => ({ date: formatCivilDay(days[i]), name })) });
  const echo = fork(join(__dirname, 'echo-server.js'));
  const port = await new Promise<number>((done) =>
    echo.once('message', (message: { port: number }) => done(message.port)),
  );
  const load = async (target: string) => {
    const result = await autocannon({
      url: target,
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
      connections: 8,
      duration: 2,
    });
    if (result.non2xx > 0 || result.errors > 0)
      throw new Error(`${target}: ${result.non2xx} non-2xx, ${result.errors} errors`);
    return result.requests.average;
  };
  const ours: number[] = [];
  const bare: number[] = [];
  for (let round = 0; round <= ROUNDS; round++) {
    const a = await load(`${url}/enrich/v1/age_gender`);
    const b = await load(`http://127.0.0.1:${port}/`);
    if (round === 0) continue; // warm
    ours.push(a);
    bare.push(b);
  }
  echo.disconnect();
  const ratio = median(ours.map((value, i) => value / bare[i]));
  report(
    'bulk POST of 1,000 queries',
    `${Math.round(median(ours))} req/s`,
    `${ratio.toFixed(2)} of a bare node:http echo`,
  );
}
