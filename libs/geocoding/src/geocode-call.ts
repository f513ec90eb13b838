import { randomInt } from 'node:crypto';
import { type AddressKeys } from '@donorlens/locations';
import {
  type CallResults,
  type ClaimedCall,
  type PendingAddress,
  type StoredLocation,
  isRateLimitFault,
} from './calls/call';
import { type Candidate, type Geocoder, type GeocoderAnswer, type GeocoderRow } from './geocoder';
import { GeocoderError } from './geocoder-error';

/** What a call needs beside its addresses. */
export interface CallTools {
  readonly geocoder: Geocoder;
  readonly keys: Pick<AddressKeys, 'addressIdOf'>;
  /** Aborted if the call is to be released. */
  readonly signal: AbortSignal;
  /** How long a call may take. Ties are requested one by one; those left then wait for the next call. */
  readonly budgetMs: number;
}

/**
 * Consecutive failures after which the rest of a tie call waits, as the geocoder is probably away. A probe stops after
 * its first failure.
 */
const MAX_CONSECUTIVE_FAILURES = 3;

/**
 * Requests the addresses of one call, and converts the answers to what is stored. Matched addresses become their ids
 * here and go no further.
 * @returns addresses that it does not name were not requested
 * @throws GeocoderError if nothing was answered; the reason of the signal if it aborts
 */
export function runCall(call: ClaimedCall, tools: CallTools): Promise<CallResults> {
  return call.kind === 'tie' ? resolveTies(call, tools) : geocodeAll(call, tools);
}

/** Each call uses other ids, so that an answer that belongs to an earlier call matches none of them. */
const [FIRST_ID, LAST_ID] = [100_000_000, 900_000_000];

async function geocodeAll(call: ClaimedCall, tools: CallTools): Promise<CallResults> {
  const { addresses } = call;
  const first = randomInt(FIRST_ID, LAST_ID);
  const rows = addresses.map((address, at) => rowOf(address, first + at));
  const { answers, unanswered } = await tools.geocoder.locate(rows, call, tools.signal);
  const results = new Collected();
  addresses.forEach(({ key }, at) => {
    const answer = answers.get(first + at);
    if (answer === undefined) results.unanswered.set(mapKey(key), unanswered.get(first + at) ?? 'missing');
    else if (answer.outcome === 'TIE') results.ties.push(key);
    else results.geocoded.push(locationOf(key, answer, tools));
  });
  return results;
}

async function resolveTies(call: ClaimedCall, tools: CallTools): Promise<CallResults> {
  const { geocoder, signal } = tools;
  const until = performance.now() + tools.budgetMs;
  const maxFailures = call.isProbe ? 1 : MAX_CONSECUTIVE_FAILURES;
  const results = new Collected();
  let fault: GeocoderError | null = null;
  let failures = 0;
  for (const [id, address] of call.addresses.entries()) {
    if (failures === maxFailures || performance.now() > until) break;
    signal.throwIfAborted();
    try {
      results.geocoded.push(tieOf(address.key, await geocoder.candidates(rowOf(address, id), call, signal)));
      failures = 0;
    } catch (error) {
      if (!(error instanceof GeocoderError) || signal.aborted) throw error;
      fault = error;
      if (isRateLimitFault(error)) {
        results.retryAfter = error;
        break;
      }
      results.unanswered.set(mapKey(address.key), error.code);
      failures++;
    }
  }
  if (fault && results.geocoded.length === 0) throw fault;
  return results;
}

class Collected implements CallResults {
  readonly geocoded: StoredLocation[] = [];
  readonly ties: Buffer[] = [];
  readonly unanswered = new Map<string, string>();
  retryAfter: GeocoderError | null = null;
}

const mapKey = (key: Buffer): string => key.toString('latin1');

const rowOf = ({ street, city, state, zip }: PendingAddress, id: number): GeocoderRow => ({
  id,
  street,
  city,
  state,
  zip,
});

type FinalAnswer = Exclude<GeocoderAnswer, { outcome: 'TIE' }>;

const NO_GEOGRAPHY = { fips: null, tract: null, block: null, addressId: null, isExact: null };

function locationOf(key: Buffer, answer: FinalAnswer, { keys }: CallTools): StoredLocation {
  if (answer.outcome === 'NO_MATCH') return { ...NO_GEOGRAPHY, key, outcome: 'NO_MATCH' };
  const { outcome, isExact, matchedAddress, fips, tract, block } = answer;
  const addressId = keys.addressIdOf(matchedAddress).toString('hex');
  return { key, outcome, isExact, fips, tract, block, addressId };
}

/** The county if all candidates are in one, and nothing finer: which candidate it is stays unknown. */
function tieOf(key: Buffer, candidates: readonly Candidate[]): StoredLocation {
  const counties = new Set(candidates.map(({ fips }) => fips));
  const [fips = null] = counties.size === 1 ? counties : [];
  return { ...NO_GEOGRAPHY, key, outcome: 'TIE', fips };
}
