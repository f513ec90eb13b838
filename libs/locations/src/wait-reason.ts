import { type Circuit, nextTryAt } from './circuit';

/** What decides whether calls go out. */
export interface GeocoderFacts {
  readonly circuit: Circuit;
  /** The geocoder asked to be left alone until then; null: no, or not any more. */
  readonly toldUntil: Date | null;
  readonly refusedReason: string | null;
  readonly lastAnswerAt: Date | null;
  /** A code; null: no call has failed yet. */
  readonly lastError: string | null;
  readonly waiting: number;
  readonly errors: number;
  /** When the first of the errors is asked again. */
  readonly nextRetryAt: Date | null;
  readonly callsPerMinute: number;
  readonly now: Date;
}

/** Why addresses wait, in words that a person can act on; null where none waits. What holds all of them comes first. */
export function waitReason(facts: GeocoderFacts): string | null {
  const { waiting, errors, refusedReason, toldUntil } = facts;
  if (waiting === 0) return null;
  if (refusedReason !== null)
    return `nothing is sent: ${refusedReason} (see GEOCODER_URL, GEOCODER_BENCHMARK and GEOCODER_VINTAGE)`;
  if (facts.lastAnswerAt === null && facts.lastError !== null)
    return (
      `the geocoder has never answered (last error: ${facts.lastError}): it may not be reachable from here, ` +
      `check GEOCODER_URL and the way out of this network; ${nextTry(facts)}`
    );
  if (facts.circuit.circuit !== 'closed')
    return `the geocoder fails (last error: ${facts.lastError ?? 'unknown'}); ${nextTry(facts)}`;
  if (toldUntil !== null) return `the geocoder asked to be left alone until ${clock(toldUntil)}`;
  if (errors === waiting)
    return `${addresses(errors)} failed whenever asked alone; ${errorRetry(facts)}, or at once by: donorlens geocode retry --outcome ERROR`;
  return `${addresses(waiting)} in line, at most ${callsIn(facts.callsPerMinute)} a minute`;
}

function nextTry(facts: GeocoderFacts): string {
  const { circuit, toldUntil, now } = facts;
  if (toldUntil !== null) return `it asked to be left alone until ${clock(toldUntil)}`;
  if (circuit.circuit === 'probing') return 'one call tries it now';
  const next = nextTryAt(circuit, now);
  if (next !== null) return `one call tries it again at ${clock(next)}`;
  return circuit.circuit === 'open' ? 'the next call tries it again' : 'calls go on trying it';
}

const errorRetry = ({ nextRetryAt }: GeocoderFacts): string =>
  nextRetryAt === null ? 'they are asked again later' : `they are asked again from ${clock(nextRetryAt)} on`;

const addresses = (count: number): string => (count === 1 ? '1 address' : `${count.toLocaleString('en-US')} addresses`);
const callsIn = (count: number): string => {
  const shown = Math.max(0.1, Math.round(10 * count) / 10);
  return shown === 1 ? '1 call' : `${shown.toLocaleString('en-US')} calls`;
};
/** Hours, minutes and seconds of a moment that is at most some hours away. */
const clock = (moment: Date): string => `${moment.toISOString().slice(11, 19)} UTC`;
