import { DomainError } from '@donorlens/primitives';
import { type Dispatcher } from 'undici';

/** A source that could not be reached, answered with an error, or sent more or less than it may. */
export class SourceError extends DomainError {
  readonly code = 'source_file';

  constructor(
    readonly location: string,
    what: string,
  ) {
    super(`${location}: ${what}`, { location });
  }
}

/**
 * Error code of the system or the client, also of a wrapped error (several addresses of one host); empty without one.
 */
export function codeOf(error: unknown): string {
  if (typeof error !== 'object' || error === null) return '';
  if ('code' in error && typeof error.code === 'string' && error.code !== '') return error.code;
  if ('errors' in error && Array.isArray(error.errors) && error.errors.length > 0) return codeOf(error.errors[0]);
  return 'cause' in error ? codeOf(error.cause) : '';
}

export interface DownloadRequest {
  /**
   * Path in the official layout, such as fec/2024/cn24.zip, at which an operator can put a file that cannot be
   * downloaded.
   */
  readonly file: string;
  /** more is an error, not a cut */
  readonly maxBytes: number;
}

/** What may pass when tried again. */
export class WorthARetry extends SourceError {}

/** Why a response is not the file, by status and headers; null if it may be. */
export function refusalOf(
  location: string,
  answer: Dispatcher.ResponseData,
  { file, maxBytes }: DownloadRequest,
): SourceError | null {
  const { statusCode } = answer;
  if (statusCode === 429 || statusCode >= 500) return new WorthARetry(location, `answered with status ${statusCode}`);
  if (statusCode === 403) return new SourceError(location, forbidden(file));
  if (statusCode !== 200) return new SourceError(location, `answered with status ${statusCode}`);
  if (/^text\/html/i.test(header(answer, 'content-type') ?? ''))
    return new SourceError(location, 'answered with a web page, not with the file');
  return (statedLength(answer) ?? 0) > maxBytes ? tooLong(location, maxBytes) : null;
}

const forbidden = (file: string): string =>
  `answered with status 403 to both forms of the User-Agent. Set CONTACT_URL, or ${byHand(file)}`;

/** @param file - its path in the official layout */
export const byHand = (file: string): string =>
  `download the file in a browser, save it as ${file} in a folder, and set DATA_SOURCE to the folder`;

/** Chunks of the body. Throws if the body exceeds the limit or is shorter than its Content-Length. */
export async function* bounded(
  location: string,
  answer: Dispatcher.ResponseData,
  { maxBytes }: DownloadRequest,
): AsyncGenerator<Buffer> {
  const expected = statedLength(answer);
  let received = 0;
  for await (const piece of answer.body as AsyncIterable<Buffer>) {
    received += piece.length;
    if (received > maxBytes) throw tooLong(location, maxBytes);
    yield piece;
  }
  if (expected !== null && received !== expected)
    throw new WorthARetry(location, `sent ${received} bytes of ${expected}`);
}

const tooLong = (location: string, maxBytes: number): SourceError =>
  new SourceError(location, `has more than ${maxBytes} bytes`);

function statedLength(answer: Dispatcher.ResponseData): number | null {
  const text = header(answer, 'content-length');
  return text !== null && /^\d{1,15}$/.test(text) ? Number(text) : null;
}

export async function discarded<T>(answer: Dispatcher.ResponseData, result: T): Promise<T> {
  await answer.body.dump({ limit: 65_536 });
  return result;
}

export function header({ headers }: Dispatcher.ResponseData, name: string): string | null {
  const value = headers[name];
  return typeof value === 'string' ? value : null;
}
