/** Headers of every response, errors included. A URL may hold a key, so caches store nothing unless the route allows it. */
export const BASE_HEADERS = {
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'cache-control': 'private, no-store',
} as const;

/** Allows scripts and styles from files of this service only. */
const PAGE_POLICY =
  "default-src 'none'; script-src 'self'; connect-src 'self'; style-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

/**
 * Headers of every page. With `no-referrer`, forms would be sent with the origin `null` and refused as cross-site by
 * `isSameOrigin` if the browser sends no Sec-Fetch-Site, as over HTTP from another machine.
 */
export const PAGE_HEADERS = {
  'content-security-policy': PAGE_POLICY,
  'referrer-policy': 'same-origin',
} as const;
