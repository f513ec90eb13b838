import { type GeocoderConfig } from '@donorlens/config';

export type CallOptions = Pick<GeocoderConfig, 'callRows' | 'callsAtOnce' | 'callsPerMinute' | 'retryDays'>;

/** A lease is extended while its call runs: a worker that dies gives its calls back after so long. */
export const CALL_LEASE_MS = 30_000;
/** Addresses of one tie call: each is a request of its own. */
export const TIE_CALL_ROWS = 20;
/** Failures, or probes that failed, after which a call of several addresses is cut in halves. */
export const TRIES_BEFORE_SPLIT = 3;
/** Tries after which an address that alone finds no answer is left for later. */
export const TRIES_BEFORE_ERROR = 5;
/** Hours until an address that is an error is asked again. */
export const ERROR_RETRY_HOURS = 6;
