import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/**
 * Below the range from which systems take the ports of outgoing connections: while a server of ours restarts, a client
 * that keeps knocking could otherwise be given the server's own port and shut it out.
 */
const FIRST = 20_000;
const AFTER_LAST = 30_000;
const TRIES = 200;

/** A TCP port on 127.0.0.1 that was free a moment ago. */
export async function freePort(): Promise<number> {
  for (let attempt = 0; attempt < TRIES; attempt++) {
    const port = randomInt(FIRST, AFTER_LAST);
    if (await isPortFree(port)) return port;
  }
  throw new Error(`no free port between ${FIRST} and ${AFTER_LAST}`);
}

export function isPortFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
