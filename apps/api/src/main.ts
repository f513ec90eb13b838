import 'reflect-metadata';
import { readConfig, removedSettings } from '@donorlens/config';
import {
  announceReady,
  createLogger,
  endFailedStart,
  exitAfterShutdownTimeout,
  endOnUnexpected,
  endWithSupervisor,
  bufferedOutput,
  nameProcess,
  startTracing,
  stoppableStart,
  waitUntilNeeded,
} from '@donorlens/observability';
import { ProcessHeartbeat } from '@donorlens/operations';
import { createApi } from './create-api';

/**
 * Connections that wait to be accepted. The system limits it further (net.core.somaxconn). A client that finds the
 * backlog full retries after 1, 3, 7 … 63 s.
 */
const BACKLOG = 4_096;

async function main(): Promise<void> {
  endWithSupervisor();
  await waitUntilNeeded();
  const config = readConfig();
  const logger = createLogger('api', config.logLevel, bufferedOutput());
  endOnUnexpected(logger);
  for (const sentence of removedSettings()) logger.warn(sentence);
  await startTracing(config, 'api');
  const app = await stoppableStart(() => createApi(config, logger));
  app.enableShutdownHooks(undefined, { useProcessExit: true }); // as process 1 of a container, a signal to itself would not end it
  exitAfterShutdownTimeout(logger);
  nameProcess('api');
  await app.listen({ port: config.port, host: config.host, backlog: BACKLOG });
  logger.info({ url: await app.getUrl() }, 'listening');
  announceReady();
  await app.get(ProcessHeartbeat).start({ role: 'api', queues: [], inWork: () => 0 }); // lookups do not wait for it
}

main().catch((error: unknown) => endFailedStart('api', error));
