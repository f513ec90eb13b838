import { RouteConfig } from '@nestjs/platform-fastify';
import { type FastifyRequest } from 'fastify';
import { type z } from 'zod';
import { type ProblemCode } from './problem';

export type Scope = 'enrich:read' | 'enrich:batch' | 'charts:read' | 'charts:rows' | 'ops';

/** Media type to the schema of what it carries; null: bytes or text that a schema does not describe. */
export type Contents = Readonly<Record<string, z.ZodType | null>>;

export interface QueryParameter {
  readonly name: string;
  readonly description: string;
  readonly schema: z.ZodType;
  /** A value that works as it stands: the test page fills it in, and a test sends it. None where the request works without. */
  readonly example?: unknown;
}

/** What comes back. */
export interface Answer {
  readonly description: string;
  readonly content?: Contents;
  /** What the route's example gets with the sample data, by media type; a test compares. */
  readonly example?: Readonly<Record<string, unknown>>;
}

/** What a route asks of a request before its handler runs, and what the OpenAPI document says about it. */
export interface RoutePolicy {
  readonly access: Scope | 'public';
  readonly summary: string;
  readonly query?: readonly QueryParameter[];
  /** Headers that change the answer. */
  readonly headers?: readonly QueryParameter[];
  /** Media types of the body that are read; none where the route takes no body. */
  readonly body?: Contents;
  /** Bodies that work as they stand, by media type: JSON as its value, anything else as its text. */
  readonly example?: Readonly<Record<string, unknown>>;
  readonly answers: Readonly<Record<number, Answer>>;
  /** Faults of this route beyond those of every route. */
  readonly problems?: readonly ProblemCode[];
  /** True where people read the answer in a browser: errors of a navigation are pages then. */
  readonly page?: boolean;
  /** True where a form of a signed-in browser may send this: it needs the session's token then, a key of its own does not. */
  readonly form?: boolean;
}

/** Every route has one; a route without answers nobody. */
export const Route = (policy: RoutePolicy): MethodDecorator => RouteConfig({ policy });

/** Nest stores the policy in Fastify's route config; a route of another origin has none. */
export function policyOf(config: unknown): RoutePolicy | undefined {
  return (config as { policy?: RoutePolicy } | undefined)?.policy;
}

export const requestPolicy = (request: FastifyRequest): RoutePolicy | undefined =>
  policyOf(request.routeOptions?.config);
