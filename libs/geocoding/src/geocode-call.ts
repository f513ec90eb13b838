import { randomInt } from 'node:crypto';
import { type AddressKeys } from '@donorlens/locations';
import { type CallResults, isToldToWait } from './calls/call-results';
import { type ClaimedCall, type PendingAddress } from './calls/claimed-call';
import { type StoredLocation } from './calls/stored-location';
import { type Candidate, type Geocoder, type GeocoderAnswer, type GeocoderRow } from './geocoder';
import { GeocoderError } from './geocoder-error';

/** What a call needs beside its addresses. */
export interface CallTools {
  readonly geocoder: Geocoder;
  readonly keys: Pick<AddressKeys, 'addressIdOf'>;
  /** Aborted where the call is to be left as it is. */
  readonly signal: AbortSignal;
  /** How long a call may take. Ties are asked for one by one: those left then wait for the next call. */
  readonly budgetMs: number;
}

/**
 * One after the other: a geocoder that is away is found out by these, and the rest of the ties wait for it. A probe of
 * one that is known to be away is a single request.
 */
const FAILURES_IN_A_ROW = 3;

/**
 * Asks the geocoder for the addresses of one call, and makes of its answers what is stored. Matched addresses become
 * their ids here and go no further.
 * @returns addresses that it does not name were not asked
 * @throws  GeocoderError where nothing at all was answered; whatever the signal's abort throws
 */
export function runCall(call: ClaimedCall, tools: CallTools): Promise<CallResults> {
  return call.kind === 'tie' ? resolveTies(call, tools) : locateAll(call, tools);
}

/** Ids are another call's in no two calls: an answer that belongs to an earlier one fits none of them. */
const [FIRST_ID, LAST_ID] = [100_000_000, 900_000_000];

async function locateAll(call: ClaimedCall, tools: CallTools): Promise<CallResults> {
  const { addresses } = call;
  const first = randomInt(FIRST_ID, LAST_ID);
  const rows = addresses.map((address, at) => rowOf(address, first + at));
  const { answers, unanswered } = await tools.geocoder.locate(rows, call, tools.signal);
  const results = new Collected();
  addresses.forEach(({ key }, at) => {
    const answer = answers.get(first + at);
    if (answer === undefined) results.unanswered.set(mapKey(key), unanswered.get(first + at) ?? 'missing');
    else if (answer.outcome === 'TIE') results.ties.push(key);
    else results.located.push(locationOf(key, answer, tools));
  });
  return results;
}

async function resolveTies(call: ClaimedCall, tools: CallTools): Promise<CallResults> {
  const { geocoder, signal } = tools;
  const until = performance.now() + tools.budgetMs;
  const mostInARow = call.isProbe ? 1 : FAILURES_IN_A_ROW;
  const results = new Collected();
  let fault: GeocoderError | null = null;
  let inARow = 0;
  for (const [id, address] of call.addresses.entries()) {
    if (inARow === mostInARow || performance.now() > until) break;
    signal.throwIfAborted();
    try {
      results.located.push(tieOf(address.key, await geocoder.candidates(rowOf(address, id), call, signal)));
      inARow = 0;
    } catch (error) {
      if (!(error instanceof GeocoderError) || signal.aborted) throw error;
      fault = error;
      if (isToldToWait(error)) {
        results.toldToWait = error;
        break;
      }
      results.unanswered.set(mapKey(address.key), error.code);
      inARow++;
    }
  }
  if (fault && results.located.length === 0) throw fault;
  return results;
}

class Collected implements CallResults {
  readonly located: StoredLocation[] = [];
  readonly ties: Buffer[] = [];
  readonly unanswered = new Map<string, string>();
  toldToWait: GeocoderError | null = null;
}

const mapKey = (key: Buffer): string => key.toString('latin1');

const rowOf = ({ street, city, state, zip }: PendingAddress, id: number): GeocoderRow => ({
  id,
  street,
  city,
  state,
  zip,
});

type Settled = Exclude<GeocoderAnswer, { outcome: 'TIE' }>;

const NOWHERE = { fips: null, tract: null, block: null, addressId: null, isExact: null };

function locationOf(key: Buffer, answer: Settled, { keys }: CallTools): StoredLocation {
  if (answer.outcome === 'NO_MATCH') return { ...NOWHERE, key, outcome: 'NO_MATCH' };
  const { outcome, isExact, matchedAddress, fips, tract, block } = answer;
  const addressId = keys.addressIdOf(matchedAddress).toString('hex');
  return { key, outcome, isExact, fips, tract, block, addressId };
}

/** The county where all candidates are in one, and never more: which of them it is stays unknown. */
function tieOf(key: Buffer, candidates: readonly Candidate[]): StoredLocation {
  const counties = new Set(candidates.map(({ fips }) => fips));
  const [fips = null] = counties.size === 1 ? counties : [];
  return { ...NOWHERE, key, outcome: 'TIE', fips };
}
