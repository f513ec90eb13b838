import { randomUUID } from 'node:crypto';
import { type Scope } from '../../../apps/api/src/http/route-policy';
import { type Installation, KEY } from '../../support/installation';
import { type Report } from '../../../scripts/command/report';
import { type Door, type Guest, guestsWithKeys, guestsWithSessions } from './doors';
import { issueKeys } from './issue-keys';
import { type Misfit, goRound } from './requests';
import { type KnownMethods, methodsNotKnown, routesOf } from './routes';
import { enter } from './sessions';
import { askForOthers, batchOf, doorsOfBatches, mixUps } from './tenants';
import { type Comparison, compare } from './timing';

type Row = readonly (string | number)[];

/** A rank test of refusals may be that far from one half. */
const MAX_TOLD = 0.05;

/** Every route of the built api for every kind of key and session, and what refusals tell. */
export async function checkAuthorization(installation: Installation, rounds: number): Promise<Report> {
  const [url] = installation.apiUrls;
  const { doors, methods } = await routesOf(installation.environment);
  const keys = await issueKeys(installation.postgres.url, url);
  const sessions = await Promise.all(
    [keys.full, keys.other, keys.ofScope['charts:read']].map((key) => enter(url, key)),
  );
  const rows: Row[] = [];
  const misfits: Misfit[] = [];
  const refusals = new Set<string>();
  const guests: readonly Guest[] = [
    ...guestsWithKeys(keys),
    ...guestsWithSessions(sessions[0], sessions[1], sessions[2]),
  ];
  for (const guest of guests) {
    const passage = await goRound(url, doors, guest, randomUUID());
    process.stderr.write(`${guest.name}: ${countsOf(passage.verdicts)}; otherwise ${passage.misfits.length}\n`);
    rows.push([guest.name, passage.doors, countsOf(passage.verdicts), passage.misfits.length]);
    misfits.push(...passage.misfits);
    for (const one of passage.refusals) refusals.add(one);
  }
  const others = await othersThings(url, doors, keys, sessions[1]);
  rows.push(...others.rows, await otherMethods(url, methods));
  misfits.push(...others.misfits);
  const timing = rounds > 0 ? await refusalsInTime(url, keys, rounds) : [];
  for (const misfit of misfits) process.stderr.write(`${JSON.stringify(misfit)}\n`);
  return reportOf(rows, doors, refusals.size, timing);
}

const countsOf = (verdicts: Readonly<Record<string, number>>): string =>
  Object.entries(verdicts)
    .map(([verdict, times]) => `${verdict} × ${times}`)
    .join(', ');

type Keys = Awaited<ReturnType<typeof issueKeys>>;

/** What is another key's is not there, by whatever way one comes. */
async function othersThings(
  url: string,
  doors: readonly Door[],
  keys: Keys,
  session: { readonly cookie: string; readonly csrf: string },
): Promise<{ rows: Row[]; misfits: readonly Misfit[] }> {
  const mine = { 'x-api-key': keys.full };
  const theirs = { 'x-api-key': keys.other };
  const batchId = await batchOf(url, mine);
  const own = doorsOfBatches(doors);
  const strangers = await askForOthers(url, own, batchId, {
    "another's batch, by key": { headers: theirs },
    "another's batch, by an operator's key": { headers: { 'x-api-key': KEY } },
  });
  const inSession = await askForOthers(
    url,
    own.filter(({ method, form }) => ['GET', 'HEAD'].includes(method) || form),
    batchId,
    { "another's batch, by session": { headers: { cookie: session.cookie }, query: `?csrf=${session.csrf}` } },
  );
  const mixed = await mixUps(url, mine, theirs, batchId);
  const control = await askForOthers(url, own, batchId, { 'its own batch': { headers: mine } });
  return {
    rows: [
      [
        "another's batch, by key, also an operator's",
        strangers.asked,
        `404 × ${strangers.asked}`,
        strangers.misfits.length,
      ],
      ["another's batch, by session", inSession.asked, `404 × ${inSession.asked}`, inSession.misfits.length],
      ['lists, webhook secrets, Idempotency-Keys of two keys', 5, 'apart × 5', mixed.length],
      ['its own batch, until it is deleted', control.asked, 'let in', control.misfits.length > own.length / 2 ? 0 : 1],
    ],
    misfits: [
      ...strangers.misfits,
      ...inSession.misfits,
      ...mixed.map((door) => ({ guest: '', door, expected: '', status: 0 })),
    ],
  };
}

async function otherMethods(url: string, methods: readonly KnownMethods[]): Promise<Row> {
  const { asked, wrong } = await methodsNotKnown(url, methods, { 'x-api-key': KEY });
  for (const one of wrong) process.stderr.write(`${one}\n`);
  return ['all scopes, methods that an address does not know', asked, `404 or 405 × ${asked}`, wrong.length];
}

async function refusalsInTime(url: string, keys: Keys, rounds: number): Promise<readonly Comparison[]> {
  const address = `${url}/enrich/v1/batches`;
  const unknown = await compare(address, rounds, () => [keys.unknown(), keys.wrongSecret()]);
  const control = await compare(address, rounds, () => [keys.unknown(), keys.unknown()]);
  return [
    { ...unknown.first, name: 'unknown prefix, wrong secret: for the first time' },
    { ...unknown.again, name: 'unknown prefix, wrong secret: again' },
    { ...control.first, name: 'two unknown prefixes: for the first time' },
    { ...control.again, name: 'two unknown prefixes: again' },
  ];
}

const timed = ({ name, samples, medians, spread, longer }: Comparison): string =>
  `${name}: ${samples} of each, medians ${medians.map((one) => one.toFixed(0)).join(' and ')} µs, half of them within ${spread.toFixed(0)} µs, the second takes longer in ${(100 * longer).toFixed(1)} % of all pairs.`;

function reportOf(
  rows: readonly Row[],
  doors: readonly Door[],
  refusals: number,
  timing: readonly Comparison[],
): Report {
  const scoped = (scope: Scope | 'public') => doors.filter(({ access }) => access === scope).length;
  const scopes = [...new Set(doors.map(({ access }) => access))].sort();
  return {
    columns: ['who comes', 'requests', 'to be', 'otherwise'],
    rows,
    notes: [
      `${doors.length} routes of the router: ${scopes.map((scope) => `${scope} ${scoped(scope)}`).join(', ')}. Refusals of 401 differ in nothing: ${refusals} body in all of them.`,
      `Refusals in time, in turns, each pair over one connection. ${timing.map(timed).join(' ')}`,
    ],
    passed:
      rows.every((row) => row[3] === 0) &&
      refusals === 1 &&
      timing.slice(0, 2).every(({ longer }) => Math.abs(longer - 0.5) < MAX_TOLD),
  };
}
