import { type KeySettings } from '@donorlens/locations';
import { type Fips } from '@donorlens/primitives';

/** One address of a call; the parts as written, '' where missing. */
export interface GeocoderRow {
  /** Tells the rows of one call apart; a whole number, not negative. */
  readonly id: number;
  readonly street: string;
  readonly city: string;
  readonly state: string;
  readonly zip: string;
}

/** County (5 digits), tract (6) and block (4) as text; null where unknown. */
export interface Geography {
  readonly fips: Fips | null;
  readonly tract: string | null;
  readonly block: string | null;
}

export interface MatchedAddress extends Geography {
  readonly outcome: 'MATCH';
  /** False where the geocoder had to change something to find it. */
  readonly isExact: boolean;
  readonly matchedAddress: string;
}

export type GeocoderAnswer = MatchedAddress | { readonly outcome: 'NO_MATCH' } | { readonly outcome: 'TIE' };

/** Why a row of a call has no answer that can be used: it is asked again, never taken for "no match". */
export type UnansweredReason =
  | 'missing' // no row of the answer has its id
  | 'duplicate' // several have
  | 'malformed' // its row cannot be read
  | 'incomplete' // a match without a whole geography
  | 'misattributed' // its row echoes the address of another row
  | 'truncated'; // the answer broke off before it

/** Every id that was sent is in exactly one of both. */
export interface BatchAnswer {
  readonly answers: ReadonlyMap<number, GeocoderAnswer>;
  readonly unanswered: ReadonlyMap<number, UnansweredReason>;
}

/** One of several addresses that fit as well as each other. */
export interface Candidate extends Geography {
  readonly matchedAddress: string;
}

/** Injection token. */
export const GEOCODER = Symbol('geocoder');

/** A geocoder outside of the house. Latitude and longitude are no part of what it gives. */
export interface Geocoder {
  /**
   * @param settings under which it is asked: other ones have other boundaries
   * @throws GeocoderError where nothing of the answer can be used
   */
  locate(rows: readonly GeocoderRow[], settings: KeySettings, signal?: AbortSignal): Promise<BatchAnswer>;
  /** @throws GeocoderError, also where one layer of a candidate's geography could not be looked up */
  candidates(row: GeocoderRow, settings: KeySettings, signal?: AbortSignal): Promise<readonly Candidate[]>;
  /** Whether the geocoder knows the benchmark and vintage that this process is set to: null if so or where it cannot be told, else why not, in words. */
  refusedSettings(signal?: AbortSignal): Promise<string | null>;
}
