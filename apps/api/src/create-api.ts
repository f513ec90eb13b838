import { type Config } from '@donorlens/config';
import { type Logger, NestLogger } from '@donorlens/observability';
import { restoreFastStrings } from '@donorlens/tabular';
import { NestFactory } from '@nestjs/core';
import { type NestFastifyApplication } from '@nestjs/platform-fastify';
import { addAccessHook } from './access/access.hook';
import { RateLimiter } from './access/rate-limiter';
import { Sessions } from './access/sessions';
import { KeyAuthenticator } from './access/wrong-keys';
import { ApiModule } from './api.module';
import { addCorsHook, addRequestHooks, addRequestObservation } from './http/request-hooks';
import { limitRequestStarts, groupResponses } from './http/request-scheduling';
import { problemOfLibraries, ProblemFilter } from './http/problem.filter';
import { createAdapter } from './http/fastify-server';
import { RouteTable } from './http/route-policy';
import { problemPageOf } from './web/layout/problem-page';

/** The api, ready to listen. The hooks run in this order. */
export async function createApi(config: Config, logger: Logger): Promise<NestFastifyApplication> {
  restoreFastStrings();
  const adapter = createAdapter();
  const fastify = adapter.getInstance();
  const routes = new RouteTable();
  routes.watch(fastify);
  fastify.decorate('problemPage', problemPageOf);
  const app = await NestFactory.create<NestFastifyApplication>(ApiModule.forRoot(config, logger, routes), adapter, {
    bodyParser: false,
    abortOnError: false,
    logger: new NestLogger(logger),
  });
  addRequestObservation(fastify);
  addCorsHook(fastify);
  limitRequestStarts(fastify);
  addRequestHooks(fastify, logger);
  addAccessHook(fastify, app.get(KeyAuthenticator), app.get(RateLimiter), app.get(Sessions));
  groupResponses(fastify);
  app.useGlobalFilters(new ProblemFilter(routes, problemOfLibraries, logger));
  return app;
}
