import { type FaultDetail, GeocoderError, type GeocoderFault } from '../geocoder-error';

const MAX_RETRY_AFTER_MS = 86_400_000; // a day; longer values are capped

/** By the code of the system or of the HTTP client. A host that does not answer counts as unreachable. */
const FAULT_OF_CODE: Readonly<Record<string, GeocoderFault>> = {
  UND_ERR_HEADERS_TIMEOUT: 'timeout',
  UND_ERR_BODY_TIMEOUT: 'timeout',
  UND_ERR_SOCKET: 'reset',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'reset',
  UND_ERR_HEADERS_OVERFLOW: 'server_error',
  UND_ERR_ABORTED: 'aborted',
  UND_ERR_DESTROYED: 'aborted',
  UND_ERR_CLOSED: 'aborted',
  ECONNRESET: 'reset',
  EPIPE: 'reset',
  UND_ERR_CONNECT_TIMEOUT: 'unreachable',
};

/** Converts an error of the HTTP client. Its message is dropped, since it may contain an address. */
export function faultOf(error: unknown): GeocoderError {
  if (error instanceof GeocoderError) return error;
  const code = codeOf(error);
  const fault = FAULT_OF_CODE[code] ?? (code.startsWith('HPE_') ? 'server_error' : 'unreachable');
  return new GeocoderError(fault, code === '' ? {} : { reason: code });
}

function codeOf(error: unknown): string {
  if (typeof error !== 'object' || error === null) return '';
  if ('code' in error && typeof error.code === 'string' && /^[A-Z0-9_]{1,60}$/.test(error.code)) return error.code;
  if (error instanceof Error && error.name === 'HTTPParserError') return 'HPE_INVALID'; // it comes with and without a code
  if ('errors' in error && Array.isArray(error.errors) && error.errors.length > 0) return codeOf(error.errors[0]);
  return 'cause' in error ? codeOf(error.cause) : '';
}

type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** The fault of a status; null for 200. */
export function faultOfStatus(status: number, headers: Headers, now: number): GeocoderError | null {
  if (status === 200) return null;
  const detail: FaultDetail = { reason: status, retryAfterMs: retryAfterMs(headers['retry-after'], now) };
  return new GeocoderError(faultNamed(status, detail.retryAfterMs !== null), detail);
}

function faultNamed(status: number, hasRetryAfter: boolean): GeocoderFault {
  if (status === 429 || (status === 503 && hasRetryAfter)) return 'rate_limited';
  if (status === 408) return 'timeout';
  if (status >= 500) return 'server_error';
  if (status >= 400) return 'refused';
  return status >= 300 ? 'redirected' : 'server_error';
}

/**
 * Parses a Retry-After.
 * @param value - seconds, or an HTTP date
 * @param now - milliseconds since 1970
 * @returns milliseconds, at most a day; null if it is invalid or missing
 */
export function retryAfterMs(value: string | string[] | undefined, now: number): number | null {
  const text = (Array.isArray(value) ? value[0] : value)?.trim() ?? '';
  const ms = /^\d+$/.test(text) ? Number(text) * 1000 : /^[A-Z][a-z]{2}/.test(text) ? Date.parse(text) - now : NaN;
  return Number.isNaN(ms) ? null : Math.min(Math.max(ms, 0), MAX_RETRY_AFTER_MS);
}
