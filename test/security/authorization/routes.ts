import { createApi } from '../../../apps/api/src/create-api';
import { RouteTable } from '../../../apps/api/src/http/route-policy';
import { readConfig } from '@donorlens/config';
import { createLogger } from '@donorlens/observability';
import { type Door, addressOf, doorsOf } from './doors';
import { asked } from './requests';

export interface KnownMethods {
  readonly template: string;
  readonly methods: readonly string[];
}

/** The routes as the router of the built api has them: it is made ready in this process, and never listens. */
export async function routesOf(
  environment: Readonly<Record<string, string>>,
): Promise<{ readonly doors: readonly Door[]; readonly methods: readonly KnownMethods[] }> {
  const config = readConfig({ ...environment });
  const app = await createApi(config, createLogger('api', 'silent'));
  try {
    await app.init();
    await app.getHttpAdapter().getInstance().ready();
    const doors = doorsOf(app.get(RouteTable).routes);
    const templates = [...new Set(doors.map(({ template }) => template))];
    const methods = templates.map((template) => ({
      template,
      methods: doors.filter((door) => door.template === template).map(({ method }) => method),
    }));
    return { doors, methods };
  } finally {
    await app.close();
  }
}

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];
const UNKNOWN_ID = '00000000-0000-4000-8000-000000000000';

/** Unsupported methods are refused for every caller. */
export async function methodsNotKnown(
  url: string,
  known: readonly KnownMethods[],
  headers: Readonly<Record<string, string>>,
): Promise<{ readonly asked: number; readonly wrong: readonly string[] }> {
  const wrong: string[] = [];
  let count = 0;
  for (const { template, methods } of known)
    for (const method of METHODS.filter((one) => !methods.includes(one))) {
      const { status } = await asked(url + addressOf({ template }, UNKNOWN_ID), { method, headers });
      count++;
      if (status !== 404 && status !== 405) wrong.push(`${method} ${template}: ${status}`);
    }
  return { asked: count, wrong };
}
