/** Codes of a stream that was to be sent and cannot be read: nothing is wrong with the service. */
const OF_SOURCE = new Set(['ENOENT', 'EACCES', 'EPERM', 'EISDIR']);

/** No answer at all: nobody listens there, the name is not known, or the connection broke. Whether a request was acted on is not known. */
export class DonorlensUnreachable extends Error {
  /** Where the service was looked for. */
  readonly address: string;
  /** Of the network, as `ECONNREFUSED`; null where it is not told, as in browsers. */
  readonly code: string | null;

  constructor(url: string, cause: unknown) {
    const { origin } = new URL(url);
    const code = codeOf(cause);
    super(
      `The service does not answer at ${origin}${code === null ? '' : ` (${code})`}: look whether it runs, and whether baseUrl and the network are right.`,
      { cause },
    );
    this.name = 'DonorlensUnreachable';
    this.address = origin;
    this.code = code;
  }
}

/** By its name: a TypeError of another realm is none of this one's. */
const isTypeError = (error: unknown): error is TypeError =>
  typeof error === 'object' && error !== null && 'name' in error && error.name === 'TypeError';

/** What `fetch` has thrown for a request, as an error of ours where it was the network. What the caller aborted stays as it is. */
export function whyNoAnswer(error: unknown, { url, signal }: Request): unknown {
  if (signal.aborted || !isTypeError(error)) return error;
  return OF_SOURCE.has(codeOf(error) ?? '') ? error.cause : new DonorlensUnreachable(url, error);
}

/** Of an error or of what it was made from. */
function codeOf(error: unknown): string | null {
  if (typeof error !== 'object' || error === null) return null;
  if ('code' in error && typeof error.code === 'string') return error.code;
  return 'cause' in error ? codeOf(error.cause) : null;
}
