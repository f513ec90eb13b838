/** Codes of an upload stream that cannot be read; the service is not at fault. */
const OF_SOURCE = new Set(['ENOENT', 'EACCES', 'EPERM', 'EISDIR']);

/** The service did not respond: wrong address, unknown host or broken connection. It may still have processed the request. */
export class DonorlensUnreachable extends Error {
  /** Origin of the service. */
  readonly address: string;
  /** Network error such as `ECONNREFUSED`; null if unknown, as in browsers. */
  readonly code: string | null;

  constructor(url: string, cause: unknown) {
    const { origin } = new URL(url);
    const code = codeOf(cause);
    super(
      `The service does not answer at ${origin}${code === null ? '' : ` (${code})`}: check that it runs, and check baseUrl and the network.`,
      { cause },
    );
    this.name = 'DonorlensUnreachable';
    this.address = origin;
    this.code = code;
  }
}

/** Compares the name, because a TypeError of another realm is not an instance of this one. */
const isTypeError = (error: unknown): error is TypeError =>
  typeof error === 'object' && error !== null && 'name' in error && error.name === 'TypeError';

/** Converts a network error of `fetch` to DonorlensUnreachable. An abort by the caller stays as it is. */
export function asUnreachable(error: unknown, { url, signal }: Request): unknown {
  if (signal.aborted || !isTypeError(error)) return error;
  return OF_SOURCE.has(codeOf(error) ?? '') ? error.cause : new DonorlensUnreachable(url, error);
}

/** Code of an error or of its cause. */
function codeOf(error: unknown): string | null {
  if (typeof error !== 'object' || error === null) return null;
  if ('code' in error && typeof error.code === 'string') return error.code;
  return 'cause' in error ? codeOf(error.cause) : null;
}
