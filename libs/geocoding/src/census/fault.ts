import { type FaultDetail, GeocoderError, type GeocoderFault } from '../geocoder-error';

const LONGEST_WAIT_MS = 86_400_000; // a day; who says more is not believed

/** By the code of the system or of the HTTP client. A silent host is as unreachable as one that refuses. */
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

/** What went wrong, from whatever the HTTP client threw: its message is not passed on, for it may hold an address. */
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

/** What a status says; null for 200. */
export function faultOfStatus(status: number, headers: Headers, now: number): GeocoderError | null {
  if (status === 200) return null;
  const detail: FaultDetail = { reason: status, retryAfterMs: retryAfterMs(headers['retry-after'], now) };
  return new GeocoderError(faultNamed(status, detail.retryAfterMs !== null), detail);
}

function faultNamed(status: number, hasToldToWait: boolean): GeocoderFault {
  if (status === 429 || (status === 503 && hasToldToWait)) return 'rate_limited';
  if (status === 408) return 'timeout';
  if (status >= 500) return 'server_error';
  if (status >= 400) return 'refused';
  return status >= 300 ? 'redirected' : 'server_error';
}

/**
 * How long to wait by a Retry-After.
 * @param value  seconds, or a date of HTTP
 * @param now    milliseconds since 1970
 * @returns      milliseconds, at most a day; null where it says nothing
 */
export function retryAfterMs(value: string | string[] | undefined, now: number): number | null {
  const text = (Array.isArray(value) ? value[0] : value)?.trim() ?? '';
  const ms = /^\d+$/.test(text) ? Number(text) * 1000 : /^[A-Z][a-z]{2}/.test(text) ? Date.parse(text) - now : NaN;
  return Number.isNaN(ms) ? null : Math.min(Math.max(ms, 0), LONGEST_WAIT_MS);
}
