import { type PoolClient } from 'pg';
import { type StoredLocation } from './stored-location';

/** What became of the addresses of one call. Those that it does not name were not asked, and stay as they are. */
export interface CallResults {
  readonly located: readonly StoredLocation[];
  /** Keys of a batch call that are ties: their candidates are asked for next. */
  readonly ties: readonly Buffer[];
  /** Codes of why there is no usable answer, by `key.toString('latin1')`. */
  readonly unanswered: ReadonlyMap<string, string>;
  /** Set where the geocoder asked to be left alone before all were asked for. */
  readonly toldToWait?: CallFault | null;
}

/** Tells whoever waits for these locations, in the transaction that stores them. */
export type Settle = (client: PoolClient, located: readonly StoredLocation[]) => Promise<void>;

/** What went wrong with a whole call: a GeocoderError is one. */
export interface CallFault {
  readonly code: string;
  /** The geocoder asked to be left alone for so long; null: it did not. */
  readonly retryAfterMs: number | null;
}

/** The geocoder asks for fewer calls: that speaks against nobody. */
export const isToldToWait = ({ code, retryAfterMs }: CallFault): boolean =>
  retryAfterMs !== null || code === 'rate_limited';
