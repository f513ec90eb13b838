import { type Scope } from '@donorlens/access-keys';
import { type KnownRoute } from '../../../apps/api/src/http/route-policy';
import { pathParameters, securityOf } from '../../../apps/api/src/openapi/openapi-document';

/** A route with the access that its policy declares. */
export interface GuardedRoute {
  readonly method: string;
  readonly template: string;
  readonly access: Scope | 'public';
  /** A form of a signed-in browser may send it. */
  readonly form: boolean;
}

/** `allowed`: the request passed the guards, whatever the handler answers. */
export type ExpectedOutcome = 'allowed' | 400 | 401 | 403;

/** A kind of caller: its credentials, and the expected outcome at a route. */
export interface Caller {
  readonly name: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly expected: (route: GuardedRoute) => ExpectedOutcome;
}

export const SCOPES: readonly Scope[] = ['enrich:read', 'enrich:batch', 'charts:read', 'charts:rows', 'ops'];

/** Every route of the router, with pages, metrics and the console. @throws Error if a route declares no access */
export function guardedRoutes(routes: readonly KnownRoute[]): readonly GuardedRoute[] {
  return routes.map(({ method, template, policy }) => {
    if (policy === undefined) throw new Error(`${method} ${template} declares no access`);
    return { method, template, access: policy.access, form: policy.form === true };
  });
}

/** A path of the route: parameters are the documented examples, except the id of the batch. */
export function urlPathOf({ template }: Pick<GuardedRoute, 'template'>, batchId: string): string {
  const known = new Map<string, unknown>([['id', batchId]]);
  return template
    .replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(String(known.get(name) ?? exampleOf(name))))
    .replace('*', 'x');
}

function exampleOf(name: string): unknown {
  try {
    return pathParameters(`/:${name}`)[0].example;
  } catch {
    return 'x'; // a parameter of a page or of the console
  }
}

/** Whether the OpenAPI document allows a key in this query parameter. */
const acceptsKeyInQuery = ({ template, access }: GuardedRoute, parameter: string): boolean =>
  securityOf(template, access).some((one) => Object.hasOwn(Object(one) as object, parameter));

const SAFE = ['GET', 'HEAD'];
const unlessPublic =
  (outcome: (route: GuardedRoute) => ExpectedOutcome) =>
  (route: GuardedRoute): ExpectedOutcome =>
    route.access === 'public' ? 'allowed' : outcome(route);

const refused = unlessPublic(() => 401);
const allowScopes =
  (scopes: readonly Scope[]) =>
  ({ access }: GuardedRoute): ExpectedOutcome =>
    scopes.some((scope) => scope === access) ? 'allowed' : 403;

/** A key with all scopes, one with each scope, and invalid keys by their defect. */
export interface Keys {
  readonly full: string;
  readonly ofScope: Readonly<Record<Scope, string>>;
  readonly invalid: Readonly<Record<string, string>>;
}

export const callersWithKeys = ({ full, ofScope, invalid }: Keys): readonly Caller[] => [
  { name: 'no key', expected: refused },
  ...Object.entries(invalid).map(([name, key]) => ({ name, headers: { 'x-api-key': key }, expected: refused })),
  { name: 'a key as Basic', headers: { authorization: `Basic ${full}` }, expected: refused },
  { name: 'all scopes, Bearer', headers: { authorization: `Bearer ${full}` }, expected: () => 'allowed' },
  { name: 'all scopes, X-API-Key', headers: { 'x-api-key': full }, expected: () => 'allowed' },
  ...SCOPES.map((scope) => ({
    name: `scope ${scope} alone`,
    headers: { 'x-api-key': ofScope[scope] },
    expected: unlessPublic(allowScopes([scope])),
  })),
  ...['apiKey', 'token'].map((parameter) => ({
    name: `all scopes, ${parameter} in the URL`,
    query: { [parameter]: full },
    expected: unlessPublic((route) => (acceptsKeyInQuery(route, parameter) ? 'allowed' : 401)),
  })),
  {
    name: 'two keys',
    headers: { 'x-api-key': full, authorization: `Bearer ${full}` },
    expected: unlessPublic(() => 400),
  },
];

/** A browser with a session. */
export interface BrowserSession {
  readonly cookie: string;
  readonly csrf: string;
}

const forUnsafeMethods = (outcome: (route: GuardedRoute) => ExpectedOutcome) =>
  unlessPublic((route) => (SAFE.includes(route.method) ? 'allowed' : route.form ? outcome(route) : 401));

/**
 * @param own - of a key with all scopes
 * @param others - of another key
 * @param charts - of a key with charts:read only
 */
export function callersWithSessions(
  own: BrowserSession,
  others: BrowserSession,
  charts: BrowserSession,
): readonly Caller[] {
  const { cookie, csrf } = own;
  return [
    { name: 'session, no token', headers: { cookie }, expected: forUnsafeMethods(() => 403) },
    { name: 'session, its token', headers: { cookie }, query: { csrf }, expected: forUnsafeMethods(() => 'allowed') },
    {
      name: "session, another's token",
      headers: { cookie },
      query: { csrf: others.csrf },
      expected: forUnsafeMethods(() => 403),
    },
    {
      name: 'session, its token, sent by another site',
      headers: { cookie, 'sec-fetch-site': 'cross-site' },
      query: { csrf },
      expected: forUnsafeMethods(() => 403),
    },
    {
      name: 'session of charts:read, its token',
      headers: { cookie: charts.cookie },
      query: { csrf: charts.csrf },
      expected: unlessPublic((route) =>
        !SAFE.includes(route.method) && !route.form ? 401 : allowScopes(['charts:read'])(route),
      ),
    },
    {
      name: 'session and a wrong key',
      headers: { cookie, 'x-api-key': 'dl_wrong' },
      query: { csrf },
      expected: refused,
    },
    {
      name: 'session, its cookie changed',
      headers: { cookie: withChangedSignature(cookie) },
      query: { csrf },
      expected: refused,
    },
  ];
}

/** Changes a letter of the signature; not the last one, which holds fewer bits. */
const withChangedSignature = (cookie: string): string =>
  `${cookie.slice(0, -3)}${cookie.at(-3) === 'x' ? 'y' : 'x'}${cookie.slice(-2)}`;

/** The outcome by the status of the answer. A 503 of an unavailable service counts as allowed. */
export function outcomeOf(status: number): ExpectedOutcome | 'server error' {
  if (status >= 500 && status !== 503) return 'server error';
  return status === 401 || status === 403 ? status : 'allowed';
}

/** Whether the answer is the expected one. A 400 may also come from the handler. */
export const isExpected = (expected: ExpectedOutcome, status: number): boolean =>
  expected === 400 ? status === 400 : outcomeOf(status) === expected;
