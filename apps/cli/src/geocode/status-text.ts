import { type GeocoderStatus } from '@donorlens/locations';
import { type GeocodeOutcome } from '@donorlens/primitives';
import { duration, plural } from '../batch/progress-text';
import { table } from '../table';

export interface GeocoderFacts extends GeocoderStatus {
  /** Addresses known, by outcome. */
  readonly outcomes: Readonly<Record<GeocodeOutcome, number>>;
  readonly callsAtOnce: number;
  readonly benchmark: string;
  readonly vintage: string;
}

const CIRCUIT = {
  closed: 'closed: calls go out',
  open: 'open: nothing is sent but one call in 30 s that tries the geocoder',
  probing: 'open: one call tries the geocoder now',
} as const;
/** A geocoder that answers, or fails, is heard of more often than that while addresses wait. */
const SILENCE_MS = 120_000;

const grouped = (count: number): string => count.toLocaleString('en-US');
const moment = (at: Date): string => `${at.toISOString().slice(0, 19).replace('T', ' ')} UTC`;
const ago = (at: Date, now: Date): string => `${moment(at)}, ${duration((now.getTime() - at.getTime()) / 1000)} ago`;

/** Everything on one screen; what is not known is left out. */
export function geocoderText(facts: GeocoderFacts, now: Date): string[] {
  const row = (name: string, text: string | null): string[] => (text === null ? [] : [`${name.padEnd(13)} ${text}`]);
  const { hits, misses, outcomes } = facts;
  return [
    ...row('circuit', CIRCUIT[facts.circuit]),
    ...row('next try', facts.closedUntil && moment(facts.closedUntil)),
    ...row('waiting', waitingText(facts, now)),
    ...row('why', facts.reason),
    ...row('what to do', adviceOf(facts, now)),
    ...row('last answer', facts.lastAnswerAt ? ago(facts.lastAnswerAt, now) : 'never'),
    ...row('last failure', facts.lastFailureAt && `${ago(facts.lastFailureAt, now)} (${facts.lastError ?? 'unknown'})`),
    ...row(
      'calls',
      `${grouped(facts.calls)} answered, ${grouped(facts.callsFailed)} failed; ${grouped(facts.tieCalls)} ties looked into`,
    ),
    ...row('addresses', `${grouped(facts.rowsSent)} sent, ${grouped(facts.rowsAnswered)} answered`),
    ...row(
      'hit rate',
      hits + misses === 0 ? null : `${percent(hits, hits + misses)} of ${grouped(hits + misses)} were known`,
    ),
    ...row(
      'rate',
      `${grouped(Math.round(facts.callsPerMinute * 10) / 10)} calls a minute, ${facts.callsAtOnce} at once`,
    ),
    ...row('asks for', `benchmark ${facts.benchmark}, vintage ${facts.vintage}`),
    '',
    table(
      ['KNOWN', 'ADDRESSES'],
      Object.entries(outcomes).map(([outcome, count]) => [outcome, grouped(count)]),
    ),
  ];
}

/** In a line, for other commands. */
export function geocoderLine({ circuit, waiting, reason }: GeocoderStatus): string {
  const state = circuit === 'closed' ? 'calls go out' : 'calls are stopped';
  if (waiting === 0) return `${state}, no address waits`;
  return `${waiting === 1 ? '1 address waits' : `${grouped(waiting)} addresses wait`}: ${reason ?? state}`;
}

function waitingText({ waiting, inCalls, ties, errors, oldestPendingAt }: GeocoderFacts, now: Date): string {
  if (waiting === 0) return 'no address';
  const parts: [number, string][] = [
    [inCalls, 'in calls'],
    [ties, 'ties'],
    [errors, 'errors'],
  ];
  const named = parts.filter(([count]) => count > 0).map(([count, what]) => `${grouped(count)} ${what}`);
  const since = oldestPendingAt ? `, the oldest since ${ago(oldestPendingAt, now)}` : '';
  return `${plural(waiting, 'address', 'addresses')}${since}${named.length > 0 ? `; ${named.join(', ')}` : ''}`;
}

/** Null where nothing is to be done, or the reason says it already. */
function adviceOf(facts: GeocoderFacts, now: Date): string | null {
  if (facts.waiting === 0 || facts.waiting === facts.errors) return null;
  if (facts.circuit !== 'closed') return 'nothing: rows stay PENDING, and calls go out again once it answers';
  const heard = [facts.oldestPendingAt, facts.lastAnswerAt, facts.lastFailureAt].map((at) => at?.getTime() ?? 0);
  if (facts.closedUntil !== null || now.getTime() - Math.max(...heard) < SILENCE_MS) return null;
  return 'no call has been made for a while: run an aggregator, and a worker whose WORKER_QUEUES has geocode';
}

const percent = (part: number, whole: number): string => `${((100 * part) / whole).toFixed(1)} %`;
