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
  stoppableStart,
} from '@donorlens/observability';
import { ProcessHeartbeat } from '@donorlens/operations';
import { restoreFastStrings } from '@donorlens/tabular';
import { queueNames } from './consumed';
import { Consumers } from './consumers';
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
  const app = await stoppableStart(() =>
    NestFactory.createApplicationContext(WorkerModule.forRoot(config, logger), options),
  );
  app.enableShutdownHooks(undefined, { useProcessExit: true }); // as pid 1, a process cannot end itself by a signal
  await report(app, config);
  logger.info({ queues: config.workerQueues, concurrency: config.workerConcurrency }, 'worker started');
  announceReady();
}

async function report(app: INestApplicationContext, config: Config): Promise<void> {
  const [heartbeat, consumers] = [app.get(ProcessHeartbeat), app.get(Consumers)];
  const inWork = (): number => Object.values(consumers.inWork()).reduce((sum, jobs) => sum + jobs, 0);
  nameProcess('worker');
  observeInWork(() => consumers.inWork());
  await heartbeat.start({ role: 'worker', queues: queueNames(config.workerQueues), inWork });
  await startMetricsServer({ port: config.metricsPort, host: config.host, isReady: () => heartbeat.isReady() });
}

main().catch((error: unknown) => endFailedStart('worker', error));
