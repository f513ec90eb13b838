import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import { readConfig } from '@donorlens/config';
import { AgeEstimator } from '@donorlens/demographics';
import { NestLogger, createLogger, endOnUnexpected } from '@donorlens/observability';
import { WorkerModule } from '../../apps/worker/src/worker.module';

/** A real worker, but for one first name that ends its process on the spot, as a fault in native code would. */
const DEADLY = 'DEADLY';

// eslint-disable-next-line @typescript-eslint/unbound-method -- called with its own `this` below
const nameIndex = AgeEstimator.prototype.nameIndex;
AgeEstimator.prototype.nameIndex = function (name) {
  if (name === DEADLY) process.kill(process.pid, 'SIGKILL');
  return nameIndex.call(this, name);
};

async function main(): Promise<void> {
  const config = readConfig();
  const logger = createLogger('worker', config.logLevel);
  endOnUnexpected(logger);
  const options = { logger: new NestLogger(logger), abortOnError: false };
  const app = await NestFactory.createApplicationContext(WorkerModule.with(config, logger), options);
  app.enableShutdownHooks();
}

void main();
