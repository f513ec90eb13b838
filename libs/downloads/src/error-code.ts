/** The system's or the client's code of an error, also where it is wrapped (several addresses of one host); '' without one. */
export function codeOf(error: unknown): string {
  if (typeof error !== 'object' || error === null) return '';
  if ('code' in error && typeof error.code === 'string' && error.code !== '') return error.code;
  if ('errors' in error && Array.isArray(error.errors) && error.errors.length > 0) return codeOf(error.errors[0]);
  return 'cause' in error ? codeOf(error.cause) : '';
}
