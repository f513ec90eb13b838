import { readConfig } from '@donorlens/config';
import {
  type GeocoderStatus,
  countOutcomes,
  readGeocoderStatus,
  waitingSettings,
  type GeocoderActivity,
  type KeySettings,
} from '@donorlens/locations';
import { type GeocodeOutcome, counted, grouped } from '@donorlens/primitives';
import { databaseUrlOf } from '../database-url';
import { EXIT, type ExitCode } from '../exit-code';
import { type Context, table } from '../program-context';
import { withPool } from '../with-pool';
import { duration } from '../batch/progress';

export async function geocodeStatus(context: Context, { json }: { readonly json?: boolean }): Promise<ExitCode> {
  const { geocoder } = readConfig();
  return withPool(databaseUrlOf(), async (pool) => {
    const [status, outcomes, waitingUnder] = await Promise.all([
      readGeocoderStatus(pool, geocoder),
      countOutcomes(pool),
      waitingSettings(pool),
    ]);
    const { url, benchmark, vintage, callsAtOnce } = geocoder;
    const settings = { host: new URL(url).host, benchmark, vintage, callsAtOnce };
    const facts = { ...status, ...settings, outcomes, waitingUnder };
    context.out(json ? JSON.stringify(facts, null, 2) : geocoderText(facts, new Date()).join('\n'));
    return EXIT.ok;
  });
}

/** Reads the geocoder status from the database, for other commands. It does not call the geocoder. */
export async function readStatus(databaseUrl: string): Promise<GeocoderStatus> {
  const { geocoder } = readConfig();
  return withPool(databaseUrl, (pool) => readGeocoderStatus(pool, geocoder));
}

export interface GeocoderFacts extends GeocoderStatus {
  /** Number of known addresses by outcome. */
  readonly outcomes: Readonly<Record<GeocodeOutcome, number>>;
  /** Settings of this command's environment; the processes of the service may have other values. */
  readonly callsAtOnce: number;
  readonly host: string;
  readonly benchmark: string;
  readonly vintage: string;
  /** Pending addresses by benchmark and vintage. */
  readonly waitingUnder: readonly (KeySettings & { readonly waiting: number })[];
}

const moment = (at: Date): string => `${at.toISOString().slice(0, 19).replace('T', ' ')} UTC`;
const ago = (at: Date, now: Date): string => `${moment(at)}, ${duration((now.getTime() - at.getTime()) / 1000)} ago`;

/** Status of the geocoder for one screen. Unknown values are left out. */
export function geocoderText(facts: GeocoderFacts, now: Date): string[] {
  const row = (name: string, text: string | null): string[] => (text === null ? [] : [`${name.padEnd(13)} ${text}`]);
  const { hits, misses, outcomes } = facts;
  return [
    ...row('geocoder', activityText(facts)),
    ...row('waiting', waitingText(facts, now)),
    ...row('why', facts.reason),
    ...row('what to do', adviceOf(facts)),
    ...row('last answer', facts.lastAnswerAt ? ago(facts.lastAnswerAt, now) : 'never'),
    ...row('last failure', facts.lastFailureAt && `${ago(facts.lastFailureAt, now)} (${facts.lastError ?? 'unknown'})`),
    ...row(
      'calls',
      `${grouped(facts.calls)} answered, ${grouped(facts.callsFailed)} failed; ${grouped(facts.tieCalls)} ties resolved`,
    ),
    ...row('addresses', `${grouped(facts.rowsSent)} sent, ${grouped(facts.rowsAnswered)} answered`),
    ...row(
      'from store',
      hits + misses === 0
        ? null
        : `${grouped(hits)} of ${counted(hits + misses, 'address', 'addresses')} were known when submitted`,
    ),
    ...row('running', `${counted(facts.running, 'call')}, ${facts.callsAtOnce} at once at most`),
    ...row('rate', `at most ${grouped(Math.round(facts.callsPerMinute * 10) / 10)} calls a minute`),
    ...row(
      'settings',
      `host ${facts.host}, benchmark ${facts.benchmark}, vintage ${facts.vintage}, of this command's environment`,
    ),
    ...othersOf(facts).flatMap((other) => row('warning', other)),
    '',
    table(
      ['KNOWN', 'ADDRESSES'],
      Object.entries(outcomes).map(([outcome, count]) => [outcome, grouped(count)]),
    ),
  ];
}

const CIRCUIT_OPEN = 'circuit open, one test call every 30 s';

/** Status of the geocoder in one line, for other commands. */
export function geocoderLine(status: GeocoderStatus): string {
  const { waiting, reason } = status;
  if (waiting === 0) return activityText(status);
  const waits = waiting === 1 ? '1 address waits' : `${grouped(waiting)} addresses wait`;
  const said = reason !== null && status.activity === 'open' ? CIRCUIT_OPEN : activityText(status); // it contains the time
  return `${said}; ${waits}${reason === null ? '' : `: ${reason}`}`;
}

/** Whether pending addresses cannot be geocoded at the moment. */
export const isBlocked = ({ activity }: GeocoderStatus): boolean => !FINE.has(activity);
const FINE: ReadonlySet<GeocoderActivity> = new Set(['sending', 'nothing', 'errors']);

/** Describes the current activity. */
function activityText(status: GeocoderStatus): string {
  const { activity, closedUntil, waiting, refusedReason, running } = status;
  switch (activity) {
    case 'refused':
      return `settings refused, no call is made${waiting === 0 ? `: ${refusedReason}` : ''}`;
    case 'open':
      return `${CIRCUIT_OPEN}; next test call ${closedUntil ? moment(closedUntil) : 'now'}`;
    case 'probing':
      return 'circuit open, a test call is in progress';
    case 'paused':
      return `paused by the geocoder${closedUntil ? ` until ${moment(closedUntil)}` : ''}`;
    case 'nothing':
      return 'idle';
    case 'errors':
      return 'idle, only failed addresses wait';
    case 'unattended':
      return 'no worker takes calls';
    case 'sending':
      return `sending, ${running === 0 ? 'no call in progress' : `${counted(running, 'call')} now`}`;
  }
}

/** Lines about addresses with another benchmark or vintage than this environment has. */
const othersOf = ({ benchmark, vintage, waitingUnder }: GeocoderFacts): string[] =>
  waitingUnder
    .filter((under) => under.benchmark !== benchmark || under.vintage !== vintage)
    .map(
      (under) =>
        `${counted(under.waiting, 'address', 'addresses')} ${under.waiting === 1 ? 'waits' : 'wait'} for an answer of ` +
        `benchmark ${under.benchmark}, vintage ${under.vintage}`,
    );

function waitingText({ waiting, inCalls, ties, errors, oldestPendingAt }: GeocoderFacts, now: Date): string {
  if (waiting === 0) return 'no address';
  const parts: [number, string][] = [
    [inCalls, 'packed into calls'],
    [ties, 'ties'],
    [errors, 'errors'],
  ];
  const named = parts.filter(([count]) => count > 0).map(([count, what]) => `${grouped(count)} ${what}`);
  const since = oldestPendingAt ? `, the oldest since ${ago(oldestPendingAt, now)}` : '';
  return `${counted(waiting, 'address', 'addresses')}${since}${named.length > 0 ? `; ${named.join(', ')}` : ''}`;
}

/** Advice for the operator; null if the circuit is closed or no addresses are pending. */
const adviceOf = ({ waiting, circuit }: GeocoderFacts): string | null =>
  waiting > 0 && circuit !== 'closed'
    ? 'check the cause above; rows stay PENDING, and calls continue once the geocoder answers'
    : null;
