import 'reflect-metadata';
import { readConfig } from '@donorlens/config';
import {
  announceReady,
  createLogger,
  endFailedStart,
  endOnUnexpected,
  endWithSupervisor,
} from '@donorlens/observability';
import { createApi } from './create-api';

async function main(): Promise<void> {
  endWithSupervisor();
  const config = readConfig();
  const logger = createLogger('api', config.logLevel);
  endOnUnexpected(logger);
  const app = await createApi(config, logger);
  app.enableShutdownHooks();
  await app.listen({ port: config.port, host: config.host });
  logger.info({ url: await app.getUrl() }, 'listening');
  announceReady();
}

main().catch((error: unknown) => endFailedStart('api', error));
