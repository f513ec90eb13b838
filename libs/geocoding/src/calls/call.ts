import { type PoolClient } from 'pg';
import { type GeocoderConfig } from '@donorlens/config';
import { sqlIsOver } from '@donorlens/database';
import { type KeySettings } from '@donorlens/locations';
import { type Location } from '@donorlens/primitives';

export type CallOptions = Pick<GeocoderConfig, 'callRows' | 'callsAtOnce' | 'callsPerMinute' | 'retryDays'>;

/** Heartbeats extend the lease while its call runs; after a crash the call is free again when it expires. */
export const CALL_LEASE_MS = 30_000;
/** SQL: no worker has the call any more. */
export const CALL_LEASE_OVER = sqlIsOver('lease_until', CALL_LEASE_MS / 1_000);
/** Longest wait of a call for its next attempt. */
export const MAX_CALL_WAIT_SECONDS = 60;
/** Addresses of one tie call; each is a request of its own. */
export const TIE_CALL_ROWS = 20;
/** Failures, or failed probes, after which a call of several addresses is split in halves. */
export const ATTEMPTS_BEFORE_SPLIT = 3;
/** Attempts after which an address without an answer, alone in its call, becomes an error. */
export const ATTEMPTS_BEFORE_ERROR = 5;
/** Hours until an address that is an error is requested again. */
export const ERROR_RETRY_HOURS = 6;
/** SQL: an address that is an error may be requested again. */
export const ERROR_RETRY_DUE = sqlIsOver('retry_at', ERROR_RETRY_HOURS * 3_600);

/** An address as it was written; '' where a part is missing. */
export interface PendingAddress {
  /** 16 bytes. */
  readonly key: Buffer;
  readonly street: string;
  readonly city: string;
  readonly state: string;
  readonly zip: string;
  /** Attempts without an answer. Failures of a whole call count only for an address that is alone in it. */
  readonly failures: number;
}

/** A batch call sends all its addresses at once, a tie call requests the candidates of each. */
export type CallKind = 'batch' | 'tie';

export interface ClaimedCall extends KeySettings {
  readonly id: string;
  readonly leaseId: string;
  readonly kind: CallKind;
  /** The one call that an open circuit admits. */
  readonly isProbe: boolean;
  readonly failures: number;
  /** All requested under the call's benchmark and vintage, which are part of their keys. */
  readonly addresses: readonly PendingAddress[];
}

/** Why a call may not start now. */
export type WaitReason = 'circuit_open' | 'retry_after' | 'refused' | 'rate' | 'slots' | 'ties';

/**
 * Null: nothing to do, the call is done or leased to another worker. After `rate` and `slots` the call stays queued, and
 * is to be claimed again after waitMs; otherwise it waits for a new job.
 */
export type Claim = { readonly call: ClaimedCall } | { readonly waitMs: number; readonly why: WaitReason } | null;

/** The geocoder's answer for an address, as it is stored. */
export interface StoredLocation extends Location {
  /** 16 bytes. */
  readonly key: Buffer;
  /** Of a match: false if the geocoder had to change the address to find it; null otherwise. */
  readonly isExact: boolean | null;
}

/** Results of one call by address. Addresses that it does not name were not requested, and stay as they are. */
export interface CallResults {
  readonly geocoded: readonly StoredLocation[];
  /** Keys of a batch call that are ties: their candidates are requested next. */
  readonly ties: readonly Buffer[];
  /** Codes of the reason why there is no usable answer, by `key.toString('latin1')`. */
  readonly unanswered: ReadonlyMap<string, string>;
  /** Set if the geocoder sent a Retry-After before all addresses were requested. */
  readonly retryAfter?: CallFault | null;
}

/** Applies the outcomes to the rows that wait for them, in the transaction that stores the locations. */
export type ApplyOutcomes = (client: PoolClient, geocoded: readonly StoredLocation[]) => Promise<void>;

/** What went wrong with a whole call: a GeocoderError is one. */
export interface CallFault {
  readonly code: string;
  /** Retry-After of the geocoder in milliseconds; null without one. */
  readonly retryAfterMs: number | null;
}

/** True if the geocoder asks for fewer calls, which is no failure of the call. */
export const isRateLimitFault = ({ code, retryAfterMs }: CallFault): boolean =>
  retryAfterMs !== null || code === 'rate_limited';
