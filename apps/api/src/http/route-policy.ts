import { RouteConfig } from '@nestjs/platform-fastify';
import { type FastifyRequest, type FastifyInstance } from 'fastify';
import { type z } from 'zod';
import { type Scope } from '@donorlens/access-keys';
import { type ProblemCode } from './problem';

/** Schema by media type; null for bytes or text without a schema. */
export type Contents = Readonly<Record<string, z.ZodType | null>>;

export interface QueryParameter {
  readonly name: string;
  readonly description: string;
  readonly schema: z.ZodType;
  /** Valid value that the API page shows and a test sends. Unset if the request works without it. */
  readonly example?: unknown;
}

/** A documented response. */
export interface Answer {
  readonly description: string;
  readonly content?: Contents;
  /** Expected response to the example of the route with the sample data, by media type. A test compares it. */
  readonly example?: Readonly<Record<string, unknown>>;
}

/** Requirements of a route, checked before its handler runs, and its description in the OpenAPI document. */
export interface RoutePolicy {
  readonly access: Scope | 'public';
  readonly summary: string;
  readonly query?: readonly QueryParameter[];
  /** Parameters of forms on the page, in addition to those of `query`. */
  readonly pageQuery?: readonly string[];
  /** Request headers that change the response. */
  readonly headers?: readonly QueryParameter[];
  /** Accepted media types of the body; unset if the route has no body. */
  readonly body?: Contents;
  /** Working request bodies by media type: JSON as its value, others as text. */
  readonly example?: Readonly<Record<string, unknown>>;
  readonly answers: Readonly<Record<number, Answer>>;
  /** Problems of this route in addition to those of every route. */
  readonly problems?: readonly ProblemCode[];
  /** True if browsers show or download the response; errors are then pages. `framed`: other sites may embed the page. */
  readonly page?: boolean | 'framed';
  /** True if a form of a signed-in browser may send this request, which must then contain the CSRF token. */
  readonly form?: boolean;
}

/** Sets the policy of a route. A route without a policy rejects all requests. */
export const Route = (policy: RoutePolicy): MethodDecorator => RouteConfig({ policy });

/** Nest stores the policy in Fastify's route config; routes of plugins may have none. */
export function policyOf(config: unknown): RoutePolicy | undefined {
  return (config as { policy?: RoutePolicy } | undefined)?.policy;
}

export const requestPolicy = (request: FastifyRequest): RoutePolicy | undefined =>
  policyOf(request.routeOptions?.config);

export interface KnownRoute {
  readonly method: string;
  /** Fastify's template, e.g. `/enrich/v1/batches/:id`. */
  readonly template: string;
  readonly policy: RoutePolicy | undefined;
}

/** All registered routes, for the header Allow, the OpenAPI document and tests. */
export class RouteTable {
  readonly routes: KnownRoute[] = [];

  /** Must be called before the first route is registered. */
  watch(fastify: FastifyInstance): void {
    fastify.addHook('onRoute', (route) => {
      for (const method of [route.method].flat())
        this.routes.push({ method, template: route.url, policy: policyOf(route.config) });
    });
  }

  /** Methods of a path in alphabetical order; empty if the path does not exist. */
  methodsOf(path: string): string[] {
    const wanted = segments(path);
    const methods = this.routes
      .filter(({ template }) => matches(segments(template), wanted))
      .map(({ method }) => method);
    return [...new Set(methods)].sort();
  }
}

/** Splits a path and ignores a trailing slash. */
const segments = (path: string): string[] => path.replace(/^\//, '').replace(/\/$/, '').split('/');

const matches = (template: readonly string[], path: readonly string[]): boolean =>
  template.length === path.length &&
  template.every((part, at) => (part.startsWith(':') ? path[at] !== '' : part === path[at]));
