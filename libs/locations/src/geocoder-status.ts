import { type Pool } from 'pg';
import { type GeocodeOutcome } from '@donorlens/primitives';

/** What is known of the geocoder and of the addresses that wait for it; neither an address nor a coordinate. */
export interface GeocoderStatus {
  /** Open: nothing is sent but one call in 30 s that tries it; probing: that call is out. */
  readonly circuit: 'closed' | 'open' | 'probing';
  /** The geocoder asked to be left alone until then; null where that is over. */
  readonly closedUntil: Date | null;
  /** Why addresses wait, in words; null where none does. */
  readonly reason: string | null;
  /** Null: it has never answered. */
  readonly lastAnswerAt: Date | null;
  readonly lastFailureAt: Date | null;
  /** A code. */
  readonly lastError: string | null;
  /** Answered. */
  readonly calls: number;
  readonly callsFailed: number;
  /** Addresses in answered calls, each as often as it was sent. */
  readonly rowsSent: number;
  readonly rowsAnswered: number;
  readonly tieCalls: number;
  /** Addresses that were known when they came, and those that were not. */
  readonly hits: number;
  readonly misses: number;
  /** In force now: the geocoder may have asked for fewer than are configured. */
  readonly callsPerMinute: number;
  /** Addresses without an outcome: all of them; of these, those in a call, those that were a tie, those that failed alone. */
  readonly waiting: number;
  readonly inCalls: number;
  readonly ties: number;
  readonly errors: number;
  readonly oldestPendingAt: Date | null;
}

export function readGeocoderStatus(_pool: Pool, _limits: { readonly callsPerMinute: number }): Promise<GeocoderStatus> {
  return Promise.reject(new Error('not built yet'));
}

/** Stored locations by outcome. Reads the whole table: for a command, not for a page. */
export function countOutcomes(_pool: Pool): Promise<Record<GeocodeOutcome, number>> {
  return Promise.reject(new Error('not built yet'));
}
