/** On every answer, errors included. A URL may hold a key, so nothing is stored by a cache unless a route says so. */
export const BASE_HEADERS = {
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'cache-control': 'private, no-store',
} as const;

/** No script at all, styles from our own file, nothing from elsewhere. */
export const PAGE_POLICY =
  "default-src 'none'; style-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";
