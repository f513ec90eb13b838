import { parentPort, workerData } from 'node:worker_threads';
import { KEY } from '../../../test/support/installation';
import { type Endpoint } from './load-endpoints';

export interface BulkLoad {
  readonly url: string;
  readonly large: Endpoint;
}

/** Sends large requests until it receives a message, and posts their number. A thread, so that it delays no lookup. */
async function send({ url, large }: BulkLoad): Promise<void> {
  const headers = { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' };
  let isOver = false;
  parentPort?.once('message', () => (isOver = true));
  let requests = 0;
  for (; !isOver; requests++) {
    const answer = await fetch(url + large.path, { method: 'POST', headers, body: large.body });
    if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`);
    await answer.arrayBuffer();
  }
  parentPort?.postMessage(requests);
}

void send(workerData as BulkLoad);
