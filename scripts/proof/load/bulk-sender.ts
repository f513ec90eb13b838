import { parentPort, workerData } from 'node:worker_threads';
import { KEY } from '../installation';
import { type Endpoint } from './endpoints';

export interface Wanted {
  readonly url: string;
  readonly large: Endpoint;
}

/** Large requests, one after the other, until it is told to stop; then how many they were. A thread of its own: what it does delays no question. */
async function send({ url, large }: Wanted): Promise<void> {
  const headers = { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' };
  let isOver = false;
  parentPort?.once('message', () => (isOver = true));
  let bulks = 0;
  for (; !isOver; bulks++) {
    const answer = await fetch(url + large.path, { method: 'POST', headers, body: large.body });
    if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`);
    await answer.arrayBuffer();
  }
  parentPort?.postMessage(bulks);
}

void send(workerData as Wanted);
