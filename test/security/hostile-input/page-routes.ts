import { readConfig } from '@donorlens/config';
import { createLogger } from '@donorlens/observability';
import { createApi } from '../../../apps/api/src/create-api';
import { type KnownRoute, RouteTable } from '../../../apps/api/src/http/route-policy';

const SHOWN = ['text/html', 'image/svg+xml'];

/** Shows no page and ends the session of the checker. */
const SIGN_OUT = 'POST /session/end';

/** Routes of the built api that a browser shows, such as `GET /guide/:name`. */
export async function pageRoutesOf(environment: Readonly<Record<string, string>>): Promise<readonly string[]> {
  const app = await createApi(readConfig({ ...environment }), createLogger('api', 'silent'));
  try {
    await app.init();
    await app.getHttpAdapter().getInstance().ready();
    const routes = app.get(RouteTable).routes.filter(isShown);
    return routes.map(({ method, template }) => `${method} ${template}`).filter((route) => route !== SIGN_OUT);
  } finally {
    await app.close();
  }
}

function isShown({ method, policy }: KnownRoute): boolean {
  if (method === 'HEAD') return false;
  const types = Object.values(policy?.answers ?? {}).flatMap(({ content = {} }) => Object.keys(content));
  return policy?.page === true || types.some((type) => SHOWN.includes(type));
}
