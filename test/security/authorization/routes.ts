import { createApi } from '../../../apps/api/src/create-api';
import { RouteTable } from '../../../apps/api/src/http/route-policy';
import { readConfig } from '@donorlens/config';
import { createLogger } from '@donorlens/observability';
import { type GuardedRoute, urlPathOf, guardedRoutes } from './guarded-routes';
import { send } from './requests';

export interface KnownMethods {
  readonly template: string;
  readonly methods: readonly string[];
}

/** Reads the routes from the router of the built api, which is initialized in this process and does not listen. */
export async function readRoutes(
  environment: Readonly<Record<string, string>>,
): Promise<{ readonly routes: readonly GuardedRoute[]; readonly methods: readonly KnownMethods[] }> {
  const config = readConfig({ ...environment });
  const app = await createApi(config, createLogger('api', 'silent'));
  try {
    await app.init();
    await app.getHttpAdapter().getInstance().ready();
    const routes = guardedRoutes(app.get(RouteTable).routes);
    const templates = [...new Set(routes.map(({ template }) => template))];
    const methods = templates.map((template) => ({
      template,
      methods: routes.filter((route) => route.template === template).map(({ method }) => method),
    }));
    return { routes, methods };
  } finally {
    await app.close();
  }
}

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];
const UNKNOWN_ID = '00000000-0000-4000-8000-000000000000';

/** Sends every method that a route does not support. */
export async function sendUnknownMethods(
  url: string,
  known: readonly KnownMethods[],
  headers: Readonly<Record<string, string>>,
): Promise<{ readonly asked: number; readonly wrong: readonly string[] }> {
  const wrong: string[] = [];
  let count = 0;
  for (const { template, methods } of known)
    for (const method of METHODS.filter((one) => !methods.includes(one))) {
      const { status } = await send(url + urlPathOf({ template }, UNKNOWN_ID), { method, headers });
      count++;
      if (status !== 404 && status !== 405) wrong.push(`${method} ${template}: ${status}`);
    }
  return { asked: count, wrong };
}
