import { randomUUID } from 'node:crypto';
import { type Scope } from '@donorlens/access-keys';
import { type Installation, KEY } from '../../support/installation';
import { type Report } from '../../../scripts/command/report';
import { type GuardedRoute, type Caller, callersWithKeys, callersWithSessions } from './guarded-routes';
import { issueKeys } from './issue-keys';
import { type Mismatch, checkEveryRoute } from './requests';
import { type KnownMethods, sendUnknownMethods, readRoutes } from './routes';
import { signIn } from './sessions';
import { requestForeignBatch, completedBatch, batchRoutes, findIsolationFaults } from './tenants';
import { type Comparison, compareRefusals } from './timing';

type Row = readonly (string | number)[];

/** Largest accepted difference from one half in the rank test of response times. */
const MAX_TIMING_DIFFERENCE = 0.05;

/** Sends each kind of key and session to every route of the built api, and compares the refusals. */
export async function checkAuthorization(installation: Installation, rounds: number): Promise<Report> {
  const [url] = installation.apiUrls;
  const { routes, methods } = await readRoutes(installation.environment);
  const keys = await issueKeys(installation.postgres.url, url);
  const sessions = await Promise.all(
    [keys.full, keys.other, keys.ofScope['charts:read']].map((key) => signIn(url, key)),
  );
  const rows: Row[] = [];
  const mismatches: Mismatch[] = [];
  const refusals = new Set<string>();
  const callers: readonly Caller[] = [
    ...callersWithKeys(keys),
    ...callersWithSessions(sessions[0], sessions[1], sessions[2]),
  ];
  for (const caller of callers) {
    const check = await checkEveryRoute(url, routes, caller, randomUUID());
    process.stderr.write(`${caller.name}: ${countsOf(check.outcomes)}; mismatches ${check.mismatches.length}\n`);
    rows.push([caller.name, check.routes, countsOf(check.outcomes), check.mismatches.length]);
    mismatches.push(...check.mismatches);
    for (const one of check.refusals) refusals.add(one);
  }
  const others = await checkIsolation(url, routes, keys, sessions[1]);
  rows.push(...others.rows, await checkUnknownMethods(url, methods));
  mismatches.push(...others.mismatches);
  const timing = rounds > 0 ? await timeRefusals(url, keys, rounds) : [];
  for (const mismatch of mismatches) process.stderr.write(`${JSON.stringify(mismatch)}\n`);
  return reportOf(rows, routes, refusals.size, timing);
}

const countsOf = (outcomes: Readonly<Record<string, number>>): string =>
  Object.entries(outcomes)
    .map(([outcome, times]) => `${outcome} × ${times}`)
    .join(', ');

type Keys = Awaited<ReturnType<typeof issueKeys>>;

/** Batches of another key answer 404, with a key and with a session. */
async function checkIsolation(
  url: string,
  routes: readonly GuardedRoute[],
  keys: Keys,
  session: { readonly cookie: string; readonly csrf: string },
): Promise<{ rows: Row[]; mismatches: readonly Mismatch[] }> {
  const mine = { 'x-api-key': keys.full };
  const theirs = { 'x-api-key': keys.other };
  const batchId = await completedBatch(url, mine);
  const own = batchRoutes(routes);
  const byKey = await requestForeignBatch(url, own, batchId, {
    "another's batch, by key": { headers: theirs },
    "another's batch, by an operator's key": { headers: { 'x-api-key': KEY } },
  });
  const bySession = await requestForeignBatch(
    url,
    own.filter(({ method, form }) => ['GET', 'HEAD'].includes(method) || form),
    batchId,
    { "another's batch, by session": { headers: { cookie: session.cookie }, query: `?csrf=${session.csrf}` } },
  );
  const isolationFaults = await findIsolationFaults(url, mine, theirs, batchId);
  const control = await requestForeignBatch(url, own, batchId, { 'its own batch': { headers: mine } });
  return {
    rows: [
      ["another's batch, by key, also an operator's", byKey.asked, `404 × ${byKey.asked}`, byKey.mismatches.length],
      ["another's batch, by session", bySession.asked, `404 × ${bySession.asked}`, bySession.mismatches.length],
      ['lists, webhook secrets, Idempotency-Keys of two keys', 5, 'separate × 5', isolationFaults.length],
      [
        'its own batch, until it is deleted',
        control.asked,
        'allowed',
        control.mismatches.length > own.length / 2 ? 0 : 1,
      ],
    ],
    mismatches: [
      ...byKey.mismatches,
      ...bySession.mismatches,
      ...isolationFaults.map((route) => ({ caller: '', route, expected: '', status: 0 })),
    ],
  };
}

async function checkUnknownMethods(url: string, methods: readonly KnownMethods[]): Promise<Row> {
  const { asked, wrong } = await sendUnknownMethods(url, methods, { 'x-api-key': KEY });
  for (const one of wrong) process.stderr.write(`${one}\n`);
  return ['all scopes, methods that a path does not support', asked, `404 or 405 × ${asked}`, wrong.length];
}

async function timeRefusals(url: string, keys: Keys, rounds: number): Promise<readonly Comparison[]> {
  const address = `${url}/enrich/v1/batches`;
  const unknown = await compareRefusals(address, rounds, () => [keys.unknown(), keys.wrongSecret()]);
  const control = await compareRefusals(address, rounds, () => [keys.unknown(), keys.unknown()]);
  return [
    { ...unknown.first, name: 'unknown prefix, wrong secret: for the first time' },
    { ...unknown.again, name: 'unknown prefix, wrong secret: again' },
    { ...control.first, name: 'two unknown prefixes: for the first time' },
    { ...control.again, name: 'two unknown prefixes: again' },
  ];
}

const describeTiming = ({ name, samples, medians, spread, longer }: Comparison): string =>
  `${name}: ${samples} of each, medians ${medians.map((one) => one.toFixed(0)).join(' and ')} µs, interquartile range ${spread.toFixed(0)} µs; the second is slower in ${(100 * longer).toFixed(1)} % of all pairs.`;

function reportOf(
  rows: readonly Row[],
  routes: readonly GuardedRoute[],
  refusals: number,
  timing: readonly Comparison[],
): Report {
  const scoped = (scope: Scope | 'public') => routes.filter(({ access }) => access === scope).length;
  const scopes = [...new Set(routes.map(({ access }) => access))].sort();
  return {
    columns: ['caller', 'requests', 'expected', 'mismatches'],
    rows,
    notes: [
      `${routes.length} routes of the router: ${scopes.map((scope) => `${scope} ${scoped(scope)}`).join(', ')}. All refusals with 401 have the same body: ${refusals} different.`,
      `Response times of refusals, alternating, each pair over one connection. ${timing.map(describeTiming).join(' ')}`,
    ],
    passed:
      rows.every((row) => row[3] === 0) &&
      refusals === 1 &&
      timing.slice(0, 2).every(({ longer }) => Math.abs(longer - 0.5) < MAX_TIMING_DIFFERENCE),
  };
}
