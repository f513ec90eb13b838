import { readConfig } from '@donorlens/config';
import { createLogger } from '@donorlens/observability';
import { createApi } from '../../../apps/api/src/create-api';
import { type KnownRoute, RouteTable } from '../../../apps/api/src/http/route-policy';

const SHOWN = ['text/html', 'image/svg+xml'];

/** Parts of the queues' page, JSON and files: it is looked at once it has them. */
const OF_THE_BOARD = /^\/ops\/queues\/(api|static)\//;
/** Shows nothing, and the visitor would have to sign in again. */
const SIGN_OUT = 'POST /session/end';

/** What a browser can be led to and shows, such as `GET /guide/:name`: as the router of the built api has it. */
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

function isShown({ method, template, policy }: KnownRoute): boolean {
  if (method === 'HEAD' || OF_THE_BOARD.test(template)) return false;
  const types = Object.values(policy?.answers ?? {}).flatMap(({ content = {} }) => Object.keys(content));
  return policy?.page === true || types.some((type) => SHOWN.includes(type));
}
