import { type KeySettings } from '@donorlens/locations';
import { type Fips } from '@donorlens/primitives';

/** One address of a call; the parts as written, '' where missing. */
export interface GeocoderRow {
  /** Identifies the row within its call; a whole number, not negative. */
  readonly id: number;
  readonly street: string;
  readonly city: string;
  readonly state: string;
  readonly zip: string;
}

/** County (5 digits), tract (6) and block (4) as text; null if unknown. */
export interface Geography {
  readonly fips: Fips | null;
  readonly tract: string | null;
  readonly block: string | null;
}

export interface MatchedAddress extends Geography {
  readonly outcome: 'MATCH';
  /** False if the geocoder had to change the address to find it. */
  readonly isExact: boolean;
  readonly matchedAddress: string;
}

export type GeocoderAnswer = MatchedAddress | { readonly outcome: 'NO_MATCH' } | { readonly outcome: 'TIE' };

/** Why a row of a call has no usable answer: it is requested again, never counted as "no match". */
export type UnansweredReason =
  | 'missing' // no row of the answer has its id
  | 'duplicate' // several have
  | 'malformed' // its row cannot be read
  | 'incomplete' // a match without a whole geography
  | 'misattributed' // its row echoes the address of another row
  | 'truncated'; // the answer was cut off before it

/** Every id that was sent is in exactly one of the two maps. */
export interface BatchAnswer {
  readonly answers: ReadonlyMap<number, GeocoderAnswer>;
  readonly unanswered: ReadonlyMap<number, UnansweredReason>;
}

/** One of several addresses that match equally well. */
export interface Candidate extends Geography {
  readonly matchedAddress: string;
}

/** Injection token. */
export const GEOCODER = Symbol('geocoder');

/** An external geocoding service. Its adapter drops latitude and longitude. */
export interface Geocoder {
  /**
   * @param settings - benchmark and vintage: other ones have other boundaries
   * @throws GeocoderError if nothing of the answer can be used
   */
  locate(rows: readonly GeocoderRow[], settings: KeySettings, signal?: AbortSignal): Promise<BatchAnswer>;
  /** @throws GeocoderError, also if one layer of a candidate's geography could not be looked up */
  candidates(row: GeocoderRow, settings: KeySettings, signal?: AbortSignal): Promise<readonly Candidate[]>;
  /**
   * Why the geocoder refuses the configured benchmark and vintage.
   * @returns null if it knows them; undefined if that is unknown, because its lists are unavailable
   */
  refusedSettings(signal?: AbortSignal): Promise<string | null | undefined>;
}
