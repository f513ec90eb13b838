import { counted, grouped } from '@donorlens/primitives';
import { type Circuit, nextTryAt } from './circuit';
import { type ActivityFacts, activityOf } from './geocoder-activity';

/** What decides whether calls go out. */
export interface GeocoderFacts extends ActivityFacts {
  readonly lastAnswerAt: Date | null;
  /** A code; null: no call has failed yet. */
  readonly lastError: string | null;
  /** When the first of the errors is asked again. */
  readonly nextRetryAt: Date | null;
  /** Of those that wait: their candidates are asked for one by one. */
  readonly ties: number;
  /** Of the calls that run: their worker has not been heard of for a while. */
  readonly stranded: number;
  /** When the first of these is free again. */
  readonly strandedUntil: Date | null;
  readonly callsPerMinute: number;
}

/** Why addresses wait, in words that a person can act on; null where none waits. What holds all of them comes first. */
export function waitReason(facts: GeocoderFacts): string | null {
  const { waiting, held, refusedReason } = facts;
  if (waiting === 0) return null;
  if (activityOf(facts) === 'refused')
    return `nothing is sent: ${refusedReason} (see GEOCODER_URL, GEOCODER_BENCHMARK and GEOCODER_VINTAGE)`;
  const others = reasonOfOthers({ ...facts, waiting: waiting - held, held: 0 });
  return held === 0
    ? others
    : `${others}; ${held === 1 ? '1 more is' : `${grouped(held)} more are`} not sent: ${refusedReason}`;
}

/** Where the settings are not refused. */
function reasonOfOthers(facts: GeocoderFacts): string {
  const { toldUntil } = facts;
  const activity = activityOf(facts);
  if (activity === 'unattended')
    return `${line(facts)}; no call has been made for a while: an aggregator has to run, and a worker whose WORKER_QUEUES has geocode`;
  if (facts.lastAnswerAt === null && facts.lastError !== null)
    return (
      `the geocoder has never answered (last error: ${facts.lastError}): it may not be reachable from here, ` +
      `check GEOCODER_URL and the way out of this network; ${nextTry(facts)}`
    );
  if (facts.circuit.circuit !== 'closed')
    return `the geocoder fails (last error: ${facts.lastError ?? 'unknown'}); ${nextTry(facts)}`;
  if (toldUntil !== null) return `the geocoder asked to be left alone until ${clock(toldUntil)}`;
  if (activity === 'errors') return errorsReason(facts);
  return line(facts) + heldUpBy(facts);
}

/** How many are in line. Ties are slow: where most are ties, that is what there is to know. */
function line({ waiting, errors, ties }: GeocoderFacts): string {
  const others = waiting - errors - ties;
  if (ties <= others) return `${addresses(waiting)} in line`;
  const slow = ties === 1 ? '1 tie is looked into' : `${grouped(ties)} ties are looked into one by one`;
  return others > 0 ? `${slow}, ${grouped(others)} other ${others === 1 ? 'address' : 'addresses'} in line` : slow;
}

/** What the next call waits for, where that can be told. */
function heldUpBy({ running, stranded, strandedUntil, isAtRate, callsPerMinute }: GeocoderFacts): string {
  if (stranded > 0 && stranded === running)
    return (
      `; the worker of ${stranded === 1 ? 'the call' : `the ${grouped(stranded)} calls`} that went out is not heard of, ` +
      `its addresses are asked again${strandedUntil === null ? '' : ` from ${clock(strandedUntil)} on`}`
    );
  if (isAtRate) return `: no more than ${callsIn(callsPerMinute)} a minute may go out`;
  if (running > 0) return `, the geocoder works on ${callsIn(running)}`;
  return '';
}

function nextTry(facts: { circuit: Circuit; toldUntil: Date | null; now: Date }): string {
  const { circuit, toldUntil, now } = facts;
  if (toldUntil !== null) return `it asked to be left alone until ${clock(toldUntil)}`;
  if (circuit.circuit === 'probing') return 'one call tries it now';
  const next = nextTryAt(circuit, now);
  if (next !== null) return `one call tries it again at ${clock(next)}`;
  return circuit.circuit === 'open' ? 'the next call tries it again' : 'calls go on trying it';
}

const errorsReason = ({ errors, nextRetryAt }: GeocoderFacts): string =>
  `${addresses(errors)} failed whenever asked alone; they are asked again ` +
  `${nextRetryAt === null ? 'later' : `from ${clock(nextRetryAt)} on`}, or at once by: donorlens geocode retry --outcome ERROR`;

const addresses = (count: number): string => counted(count, 'address', 'addresses');
const callsIn = (count: number): string => {
  const shown = Math.max(0.1, Math.round(10 * count) / 10);
  return counted(shown, 'call');
};
/** Hours, minutes and seconds of a moment that is at most some hours away. */
const clock = (moment: Date): string => `${moment.toISOString().slice(11, 19)} UTC`;
