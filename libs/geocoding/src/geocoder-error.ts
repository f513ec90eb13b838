import { DomainError } from '@donorlens/primitives';

/** What may go wrong with a call as a whole, in words that hold nothing of what was sent or received. */
const IN_WORDS = {
  unreachable: 'the geocoder cannot be reached',
  timeout: 'the geocoder did not answer in time',
  reset: 'the geocoder closed the connection before it answered',
  server_error: 'the geocoder failed',
  rate_limited: 'the geocoder asks for fewer calls',
  refused: 'the geocoder refused the call',
  redirected: 'the geocoder sent the call elsewhere, which is not followed',
  not_csv: 'the geocoder answered with something else than rows',
  not_json: 'the geocoder answered with something else than candidates',
  too_large: 'the geocoder answered with more than was asked for',
  truncated: 'the geocoder broke off before anything of its answer could be used',
  layer_error: 'the geocoder could not look up the geography of a candidate',
  aborted: 'the call was given up from this side',
} as const;

export type GeocoderFault = keyof typeof IN_WORDS;
export const GEOCODER_FAULTS = Object.keys(IN_WORDS) as readonly GeocoderFault[];

export interface FaultDetail {
  /** HTTP status, or the system's code for a connection that failed. */
  readonly reason?: number | string;
  /** Milliseconds that the service asked to wait; null where it did not say. */
  readonly retryAfterMs?: number | null;
}

/** A call of which nothing can be used. All but `refused`, `redirected` and `aborted` may pass when tried again. */
export class GeocoderError extends DomainError {
  readonly retryAfterMs: number | null;

  constructor(
    readonly code: GeocoderFault,
    { reason, retryAfterMs = null }: FaultDetail = {},
  ) {
    super(reason === undefined ? IN_WORDS[code] : `${IN_WORDS[code]} (${reason})`, { reason: reason ?? null });
    this.retryAfterMs = retryAfterMs;
  }
}
