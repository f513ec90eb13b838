import { type FastifyInstance } from 'fastify';
import { policyOf, type RoutePolicy } from './route-policy';

export interface KnownRoute {
  readonly method: string;
  /** Fastify's template, e.g. `/enrich/v1/batches/:id`. */
  readonly template: string;
  readonly policy: RoutePolicy | undefined;
}

/** The routes as the router has them: answers which methods a path knows, and feeds the OpenAPI document and its tests. */
export class RouteTable {
  readonly routes: KnownRoute[] = [];

  /** Must be called before the first route is registered. */
  watch(fastify: FastifyInstance): void {
    fastify.addHook('onRoute', (route) => {
      for (const method of [route.method].flat())
        this.routes.push({
          method,
          template: route.url,
          get policy() {
            return policyOf(route.config); // hooks of a plugin, which come after this one, may give its routes theirs
          },
        });
    });
  }

  /** Methods of a path in alphabetical order; empty: no such path. */
  methodsOf(path: string): string[] {
    const wanted = segments(path);
    const methods = this.routes
      .filter(({ template }) => matches(segments(template), wanted))
      .map(({ method }) => method);
    return [...new Set(methods)].sort();
  }
}

/** The trailing slash makes no difference. */
const segments = (path: string): string[] => path.replace(/^\//, '').replace(/\/$/, '').split('/');

const matches = (template: readonly string[], path: readonly string[]): boolean =>
  template.length === path.length &&
  template.every((part, at) => (part.startsWith(':') ? path[at] !== '' : part === path[at]));
