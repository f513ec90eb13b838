import { type KnownRoute } from '../http/route-table';
import { type RoutePolicy } from '../http/route-policy';

/** What browsers need to show a page; programs have no use for it. */
const OF_PAGES = /^(text\/(html|css|javascript)|image\/|font\/)/;
/** The two groups of endpoints: whatever they answer is part of the contract with clients. */
const GROUPS = /^\/(enrich|data-charts)\/v\d+\//;

export type DocumentedRoute = KnownRoute & { readonly policy: RoutePolicy };

/**
 * Whether the document describes a route: it is one for programs. That is all that succeeds below the two groups, and elsewhere
 * what answers with more than pages, their parts and redirects. What a form of a page sends is for that page. A path of OpenAPI has no wildcards, so no route with one is in it.
 */
export function isDocumented(route: KnownRoute): route is DocumentedRoute {
  const { method, template, policy } = route;
  if (policy === undefined || policy.form || method === 'HEAD' || template.includes('*')) return false;
  const successes = Object.entries(policy.answers).filter(([status]) => status.startsWith('2'));
  const types = successes.flatMap(([, { content }]) => Object.keys(content ?? {}));
  return successes.length > 0 && (GROUPS.test(template) || types.some((type) => !OF_PAGES.test(type)));
}
