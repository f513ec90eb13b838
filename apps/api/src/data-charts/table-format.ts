/** In the order of preference: the first wins where a client likes several as well. */
export const TYPES = {
  csv: 'text/csv',
  json: 'application/json',
  html: 'text/html',
  svg: 'image/svg+xml',
} as const;
export type TableFormat = keyof typeof TYPES;
