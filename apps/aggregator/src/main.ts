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
import { AggregatorModule } from './aggregator.module';

async function main(): Promise<void> {
  endWithSupervisor();
  restoreFastStrings();
  const config = readConfig();
  const logger = createLogger('aggregator', config.logLevel);
  endOnUnexpected(logger);
  const options = { logger: new NestLogger(logger), abortOnError: false };
  const app = await NestFactory.createApplicationContext(AggregatorModule.with(config, logger), options);
  app.enableShutdownHooks();
  logger.info('keeping the clock');
  announceReady();
}

main().catch((error: unknown) => endFailedStart('aggregator', error));
