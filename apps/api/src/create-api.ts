import { KeyRing, TokenBucket } from '@donorlens/access-keys';
import { type Config } from '@donorlens/config';
import { type Logger, NestLogger } from '@donorlens/observability';
import { restoreFastStrings } from '@donorlens/primitives';
import { NestFactory } from '@nestjs/core';
import { type NestFastifyApplication } from '@nestjs/platform-fastify';
import { addAccessHook } from './access/access.hook';
import { Sessions } from './access/sessions';
import { ApiModule } from './api.module';
import { addCorsHook } from './data-charts/cors';
import { admitInTurns } from './http/admission';
import { problemOfLibraries } from './http/library-faults';
import { createAdapter } from './http/fastify-server';
import { gatherAnswers } from './http/gathered-answers';
import { ProblemFilter } from './http/problem.filter';
import { addRequestHooks } from './http/request-hooks';
import { RouteTable } from './http/route-table';
import { addRequestObservation } from './metrics/request-observation';

/** The api, ready to listen: hooks in the order in which a request meets them. */
export async function createApi(config: Config, logger: Logger): Promise<NestFastifyApplication> {
  restoreFastStrings();
  const adapter = createAdapter();
  const fastify = adapter.getInstance();
  const routes = new RouteTable();
  routes.watch(fastify);
  const app = await NestFactory.create<NestFastifyApplication>(ApiModule.with(config, logger, routes), adapter, {
    bodyParser: false,
    abortOnError: false,
    logger: new NestLogger(logger),
  });
  addRequestObservation(fastify);
  admitInTurns(fastify);
  addRequestHooks(fastify, logger);
  addCorsHook(fastify);
  addAccessHook(fastify, app.get(KeyRing), app.get(TokenBucket), app.get(Sessions));
  gatherAnswers(fastify);
  app.useGlobalFilters(new ProblemFilter(routes, problemOfLibraries, logger));
  return app;
}
