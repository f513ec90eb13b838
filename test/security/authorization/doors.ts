import { type Scope, type KnownRoute } from '../../../apps/api/src/http/route-policy';
import { pathParameters, securityOf } from '../../../apps/api/src/openapi/openapi-document';

/** A route as a stranger meets it, with what its policy says about who may pass. */
export interface Door {
  readonly method: string;
  readonly template: string;
  readonly access: Scope | 'public';
  /** A form of a signed-in browser may send this. */
  readonly form: boolean;
}

/** Let in: whatever comes after the door, which no key has to do with. */
export type Verdict = 'let in' | 400 | 401 | 403;

/** A kind of caller: its credentials, and the expected outcome at a route. */
export interface Guest {
  readonly name: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly expected: (door: Door) => Verdict;
}

export const SCOPES: readonly Scope[] = ['enrich:read', 'enrich:batch', 'charts:read', 'charts:rows', 'ops'];

/** Every route of the router, pages, metrics and the console included. @throws where one says nothing about access */
export function doorsOf(routes: readonly KnownRoute[]): readonly Door[] {
  return routes.map(({ method, template, policy }) => {
    if (policy === undefined) throw new Error(`${method} ${template} declares no access`);
    return { method, template, access: policy.access, form: policy.form === true };
  });
}

/** An address of the door: parameters as documented, but for the batch. */
export function addressOf({ template }: Pick<Door, 'template'>, batchId: string): string {
  const known = new Map<string, unknown>([['id', batchId]]);
  return template
    .replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(String(known.get(name) ?? exampleOf(name))))
    .replace('*', 'x');
}

function exampleOf(name: string): unknown {
  try {
    return pathParameters(`/:${name}`)[0].example;
  } catch {
    return 'x'; // of a page or of the console
  }
}

/** What the documents say of a key in a URL. */
const takesInQuery = ({ template, access }: Door, parameter: string): boolean =>
  securityOf(template, access).some((one) => Object.hasOwn(Object(one) as object, parameter));

const SAFE = ['GET', 'HEAD'];
const guarded =
  (verdict: (door: Door) => Verdict) =>
  (door: Door): Verdict =>
    door.access === 'public' ? 'let in' : verdict(door);

const refused = guarded(() => 401);
const ofScopes =
  (scopes: readonly Scope[]) =>
  ({ access }: Door): Verdict =>
    scopes.some((scope) => scope === access) ? 'let in' : 403;

/** Keys to come with: one with all scopes, one of each scope, and such as open nothing, by what is wrong with them. */
export interface Keys {
  readonly full: string;
  readonly ofScope: Readonly<Record<Scope, string>>;
  readonly useless: Readonly<Record<string, string>>;
}

export const guestsWithKeys = ({ full, ofScope, useless }: Keys): readonly Guest[] => [
  { name: 'no key', expected: refused },
  ...Object.entries(useless).map(([name, key]) => ({ name, headers: { 'x-api-key': key }, expected: refused })),
  { name: 'a key as Basic', headers: { authorization: `Basic ${full}` }, expected: refused },
  { name: 'all scopes, Bearer', headers: { authorization: `Bearer ${full}` }, expected: () => 'let in' },
  { name: 'all scopes, X-API-Key', headers: { 'x-api-key': full }, expected: () => 'let in' },
  ...SCOPES.map((scope) => ({
    name: `scope ${scope} alone`,
    headers: { 'x-api-key': ofScope[scope] },
    expected: guarded(ofScopes([scope])),
  })),
  ...['apiKey', 'token'].map((parameter) => ({
    name: `all scopes, ${parameter} in the URL`,
    query: { [parameter]: full },
    expected: guarded((door) => (takesInQuery(door, parameter) ? 'let in' : 401)),
  })),
  { name: 'two keys', headers: { 'x-api-key': full, authorization: `Bearer ${full}` }, expected: guarded(() => 400) },
];

/** A browser with a session. */
export interface BrowserSession {
  readonly cookie: string;
  readonly csrf: string;
}

const changing = (verdict: (door: Door) => Verdict) =>
  guarded((door) => (SAFE.includes(door.method) ? 'let in' : door.form ? verdict(door) : 401));

/** @param mine  of a key with all scopes. @param others  of another key. @param charts  of one for charts only */
export function guestsWithSessions(
  mine: BrowserSession,
  others: BrowserSession,
  charts: BrowserSession,
): readonly Guest[] {
  const { cookie, csrf } = mine;
  return [
    { name: 'session, no token', headers: { cookie }, expected: changing(() => 403) },
    { name: 'session, its token', headers: { cookie }, query: { csrf }, expected: changing(() => 'let in') },
    {
      name: "session, another's token",
      headers: { cookie },
      query: { csrf: others.csrf },
      expected: changing(() => 403),
    },
    {
      name: 'session, its token, sent by another site',
      headers: { cookie, 'sec-fetch-site': 'cross-site' },
      query: { csrf },
      expected: changing(() => 403),
    },
    {
      name: 'session of charts:read, its token',
      headers: { cookie: charts.cookie },
      query: { csrf: charts.csrf },
      expected: guarded((door) => (!SAFE.includes(door.method) && !door.form ? 401 : ofScopes(['charts:read'])(door))),
    },
    {
      name: 'session and a wrong key',
      headers: { cookie, 'x-api-key': 'dl_wrong' },
      query: { csrf },
      expected: refused,
    },
    { name: 'session, its cookie changed', headers: { cookie: changed(cookie) }, query: { csrf }, expected: refused },
  ];
}

/** The last letter of a signature holds fewer bits than others: the one before it is another. */
const changed = (cookie: string): string =>
  `${cookie.slice(0, -3)}${cookie.at(-3) === 'x' ? 'y' : 'x'}${cookie.slice(-2)}`;

/** What became of a guest, by the status of the answer. Who is told that something behind the door is away, was let in. */
export function verdictOf(status: number): Verdict | 'a fault of ours' {
  if (status >= 500 && status !== 503) return 'a fault of ours';
  return status === 401 || status === 403 ? status : 'let in';
}

/** Whether the answer is the one that was to be: a 400 may also be what comes after the door. */
export const isExpected = (expected: Verdict, status: number): boolean =>
  expected === 400 ? status === 400 : verdictOf(status) === expected;
