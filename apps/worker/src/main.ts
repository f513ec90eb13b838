import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import { readConfig } from '@donorlens/config';
import {
  NestLogger,
  announceReady,
  createLogger,
  endFailedStart,
  endOnUnexpected,
  endWithSupervisor,
} from '@donorlens/observability';
import { restoreFastStrings } from '@donorlens/primitives';
import { WorkerModule } from './worker.module';

async function main(): Promise<void> {
  endWithSupervisor();
  restoreFastStrings();
  const config = readConfig();
  const logger = createLogger('worker', config.logLevel);
  endOnUnexpected(logger);
  const options = { logger: new NestLogger(logger), abortOnError: false };
  const app = await NestFactory.createApplicationContext(WorkerModule.with(config, logger), options);
  app.enableShutdownHooks();
  logger.info({ queues: config.workerQueues, concurrency: config.workerConcurrency }, 'taking jobs');
  announceReady();
}

main().catch((error: unknown) => endFailedStart('worker', error));
