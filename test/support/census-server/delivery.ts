import { once } from 'node:events';
import { type ServerResponse } from 'node:http';
import { type Answer } from './answer';
import { type Strike } from './faults';

/** Waits while the client is connected. @returns false if the client has disconnected */
export async function pause(response: ServerResponse, ms: number): Promise<boolean> {
  if (response.destroyed) return false;
  const over = new AbortController();
  const gone = (): void => over.abort();
  response.once('close', gone);
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, ms);
    over.signal.addEventListener('abort', () => (clearTimeout(timer), resolve()));
  });
  response.off('close', gone);
  return !response.destroyed;
}

const headOf = ({ headers, body }: Answer): Record<string, string> => ({
  ...headers,
  'content-length': String(body.length),
});

export function deliver(response: ServerResponse, answer: Answer): void {
  response.writeHead(answer.status, headOf(answer)).end(answer.body);
}

/** Sends the answer in pieces, with a pause before each. */
export async function drip(response: ServerResponse, answer: Answer, { ms = 50, bytes = 16 }: Strike): Promise<void> {
  response.writeHead(answer.status, headOf(answer)).flushHeaders();
  for (let at = 0; at < answer.body.length; at += bytes) {
    if (!(await pause(response, ms))) return;
    response.write(answer.body.subarray(at, at + bytes));
  }
  response.end();
}

/** Sends the first half, then resets after the client had time to read it: a reset discards unread data. */
export function resetMidway(response: ServerResponse, answer: Answer): void {
  const half = answer.body.subarray(0, Math.ceil(answer.body.length / 2));
  response.writeHead(answer.status, headOf(answer));
  const reset = (): void => void response.socket?.resetAndDestroy();
  response.write(half, () => setTimeout(() => setImmediate(() => setImmediate(reset)), 50));
}

const MEGABYTE_OF_ROWS = Buffer.from('"0","1 MADE UP ST, NOWHERE, NH, 03999","No_Match"\n'.repeat(21_000));

/** Sends rows until `bytes`, by default 100 MB. */
export async function huge(response: ServerResponse, type: string, { bytes = 1e8 }: Strike): Promise<void> {
  response.writeHead(200, { 'content-type': type });
  for (let sent = 0; sent < bytes && !response.destroyed; sent += MEGABYTE_OF_ROWS.length) {
    if (!response.write(MEGABYTE_OF_ROWS.subarray(0, bytes - sent)))
      await Promise.race([once(response, 'drain'), once(response, 'close')]);
  }
  response.end();
}
