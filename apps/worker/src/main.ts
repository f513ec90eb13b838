import 'reflect-metadata';
import { type INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { type Config, readConfig } from '@donorlens/config';
import {
  NestLogger,
  announceReady,
  createLogger,
  endFailedStart,
  endOnUnexpected,
  endWhenStuck,
  endWithSupervisor,
  nameProcess,
  observeInWork,
  startMetricsServer,
  startTracing,
} from '@donorlens/observability';
import { ProcessBeat } from '@donorlens/operations';
import { restoreFastStrings } from '@donorlens/primitives';
import { Consumers } from './consumers';
import { queueNames } from './queue-names';
import { WorkerModule } from './worker.module';

async function main(): Promise<void> {
  endWithSupervisor();
  restoreFastStrings();
  const config = readConfig();
  const logger = createLogger('worker', config.logLevel);
  endOnUnexpected(logger);
  endWhenStuck('worker');
  await startTracing(config, 'worker');
  const options = { logger: new NestLogger(logger), abortOnError: false };
  const app = await NestFactory.createApplicationContext(WorkerModule.with(config, logger), options);
  app.enableShutdownHooks(undefined, { useProcessExit: true }); // as pid 1 a signal of its own would not end it
  await tellOf(app, config);
  logger.info({ queues: config.workerQueues, concurrency: config.workerConcurrency }, 'taking jobs');
  announceReady();
}

async function tellOf(app: INestApplicationContext, config: Config): Promise<void> {
  const [beat, consumers] = [app.get(ProcessBeat), app.get(Consumers)];
  const inWork = (): number => Object.values(consumers.inWork()).reduce((sum, jobs) => sum + jobs, 0);
  nameProcess('worker');
  observeInWork(() => consumers.inWork());
  await beat.start({ role: 'worker', queues: queueNames(config.workerQueues), inWork });
  await startMetricsServer({ port: config.metricsPort, host: config.host, isReady: () => beat.isReady() });
}

main().catch((error: unknown) => endFailedStart('worker', error));
