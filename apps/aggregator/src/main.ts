import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import { readConfig } from '@donorlens/config';
import {
  NestLogger,
  announceReady,
  createLogger,
  endFailedStart,
  exitAfterShutdownTimeout,
  endOnUnexpected,
  endWithSupervisor,
  nameProcess,
  startMetricsServer,
  startTracing,
  stoppableStart,
} from '@donorlens/observability';
import { ProcessHeartbeat } from '@donorlens/operations';
import { restoreFastStrings } from '@donorlens/tabular';
import { AggregatorModule } from './aggregator.module';

async function main(): Promise<void> {
  endWithSupervisor();
  restoreFastStrings();
  const config = readConfig();
  const logger = createLogger('aggregator', config.logLevel);
  endOnUnexpected(logger);
  await startTracing(config, 'aggregator');
  const options = { logger: new NestLogger(logger), abortOnError: false };
  const app = await stoppableStart(() =>
    NestFactory.createApplicationContext(AggregatorModule.forRoot(config, logger), options),
  );
  app.enableShutdownHooks(undefined, { useProcessExit: true }); // as pid 1, a process cannot end itself by a signal
  exitAfterShutdownTimeout(logger);
  nameProcess('aggregator');
  const heartbeat = app.get(ProcessHeartbeat);
  await heartbeat.start({ role: 'aggregator', queues: [], inWork: () => 0 });
  await startMetricsServer({ port: config.metricsPort, host: config.host, isReady: () => heartbeat.isReady() });
  logger.info('aggregator started');
  announceReady();
}

main().catch((error: unknown) => endFailedStart('aggregator', error));
