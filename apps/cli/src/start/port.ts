import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { dependencyError, usageError } from '../exit-code';

/**
 * Checks that the api will be able to listen, before anything is started.
 * @param timeoutMs - how long to wait for a port in use: the api of a killed start may still be closing
 * @returns the given port, or a free one if it is 0
 * @throws CliError with exit code 3 if the port is in use
 */
export async function listenablePort(port: number, host: string, timeoutMs = 0): Promise<number> {
  for (const deadline = performance.now() + timeoutMs; ; await sleep(200)) {
    try {
      return await tryListen(port, host);
    } catch (error) {
      if (performance.now() >= deadline) throw error;
    }
  }
}

function tryListen(port: number, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => reject(explained(error, port, host)));
    server.listen({ port, host, exclusive: true }, () => {
      const address = server.address();
      const chosen = typeof address === 'object' && address !== null ? address.port : port;
      server.close(() => resolve(chosen));
    });
  });
}

function explained(error: NodeJS.ErrnoException, port: number, host: string): Error {
  if (error.code === 'EADDRINUSE')
    return dependencyError(
      `port ${port} on ${host} is in use: stop what listens there, or set PORT (0 takes a free one)`,
    );
  if (error.code === 'EACCES')
    return dependencyError(`port ${port} on ${host} is not allowed for this user: set PORT to 1024 or higher`);
  if (error.code === 'ENOTFOUND' || error.code === 'EADDRNOTAVAIL')
    return usageError(`wrong environment: HOST ${host} is not an address of this machine`);
  return error;
}
