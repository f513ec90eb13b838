/** The `code` of an error of Node, Postgres or ours; undefined where it has none. */
export function codeOf(error: unknown): string | undefined {
  return typeof error === 'object' && error !== null && 'code' in error && typeof error.code === 'string'
    ? error.code
    : undefined;
}

/** What an error says, whoever threw it. */
export function messageOf(error: unknown): string {
  const known = typeof error === 'object' && error !== null && 'message' in error && typeof error.message === 'string';
  return known ? (error.message as string) : String(error);
}
