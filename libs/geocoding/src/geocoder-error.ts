import { DomainError } from '@donorlens/primitives';

/** Faults of a call as a whole; the messages hold nothing of what was sent or received. */
const MESSAGES = {
  unreachable: 'the geocoder cannot be reached',
  timeout: 'the geocoder did not answer in time',
  reset: 'the geocoder closed the connection before it answered',
  server_error: 'the geocoder failed',
  rate_limited: 'the geocoder asks for fewer calls',
  refused: 'the geocoder refused the call',
  redirected: 'the geocoder answered with a redirect, which is not followed',
  not_csv: 'the geocoder did not answer with CSV rows',
  not_json: 'the geocoder did not answer with JSON candidates',
  too_large: 'the answer of the geocoder is too large',
  truncated: 'the answer of the geocoder was cut off before any of it could be used',
  layer_error: 'the geocoder could not look up the geography of a candidate',
  aborted: 'the call was aborted',
} as const;

export type GeocoderFault = keyof typeof MESSAGES;
export const GEOCODER_FAULTS = Object.keys(MESSAGES) as readonly GeocoderFault[];

export interface FaultDetail {
  /** HTTP status, or the system's code for a connection that failed. */
  readonly reason?: number | string;
  /** Retry-After of the service in milliseconds; null without one. */
  readonly retryAfterMs?: number | null;
}

/** A call without a usable answer. All but `refused`, `redirected` and `aborted` may succeed when retried. */
export class GeocoderError extends DomainError {
  readonly retryAfterMs: number | null;

  constructor(
    readonly code: GeocoderFault,
    { reason, retryAfterMs = null }: FaultDetail = {},
  ) {
    super(reason === undefined ? MESSAGES[code] : `${MESSAGES[code]} (${reason})`, { reason: reason ?? null });
    this.retryAfterMs = retryAfterMs;
  }
}
