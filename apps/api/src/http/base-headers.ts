/** On every answer, errors included. A URL may hold a key, so nothing is stored by a cache unless a route says so. */
export const BASE_HEADERS = {
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'cache-control': 'private, no-store',
} as const;

/** Scripts and styles from our own files, none in the page itself, nothing from elsewhere. */
const PAGE_POLICY =
  "default-src 'none'; script-src 'self'; connect-src 'self'; style-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

/**
 * Of every page. A form of a page under `no-referrer` would be sent with the origin `null`, and refused as foreign where
 * a browser says nothing better: over plain http from another machine.
 */
export const PAGE_HEADERS = {
  'content-security-policy': PAGE_POLICY,
  'referrer-policy': 'same-origin',
} as const;
