import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { Agent } from 'undici';
import { KEY } from '../installation';
import { type Wanted } from './bulk-sender';
import { type Endpoint } from './endpoints';

interface Latencies {
  readonly p50: number;
  readonly p99: number;
  readonly most: number;
}

/** Milliseconds of a small question, alone and beside large ones. */
export interface Interference {
  readonly bulk: string;
  readonly alone: Latencies;
  readonly beside: Latencies;
  readonly bulks: number;
}

const EVERY_MS = 10;
const headers = { authorization: `Bearer ${KEY}` };

/** Asks small questions at a fixed rate, first alone, then while bulks come one after the other. */
export async function delayedByBulk(url: string, large: Endpoint, seconds: number): Promise<Interference> {
  await asked(url, 2);
  const alone = await asked(url, seconds);
  const sender = new Worker(join(__dirname, 'bulk-sender.js'), { workerData: { url, large } satisfies Wanted });
  const sent = once(sender, 'message') as Promise<[number]>;
  sent.catch(() => undefined); // told when it is awaited
  const beside = await asked(url, seconds);
  sender.postMessage('over');
  const [bulks] = await sent;
  return { bulk: large.name, alone, beside, bulks };
}

/** From the moment a question was due, so that one that waits does not hide those behind it. */
async function asked(url: string, seconds: number): Promise<Latencies> {
  const agent = new Agent({ connections: 64 });
  const times: number[] = [];
  const began = performance.now();
  const open: Promise<void>[] = [];
  for (let nth = 0; nth < (seconds * 1000) / EVERY_MS; nth++) {
    const due = began + nth * EVERY_MS;
    await pause(Math.max(0, due - performance.now()));
    open.push(
      agent
        .request({ origin: url, path: '/enrich/v1/ethnicity/surname/Garcia/year/2016', method: 'GET', headers })
        .then(({ body }) => body.dump())
        .then(() => void times.push(performance.now() - due)),
    );
  }
  await Promise.all(open);
  await agent.close();
  times.sort((a, b) => a - b);
  const at = (share: number): number => times[Math.min(times.length - 1, Math.floor(share * times.length))];
  return { p50: at(0.5), p99: at(0.99), most: at(1) };
}
