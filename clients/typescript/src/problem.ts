import { type components } from './schema';

type ProblemDocument = components['schemas']['Problem'];

/** An error response of the service (RFC 9457). */
export class DonorlensProblem extends Error {
  /** Stable code of the error. */
  readonly code: ProblemDocument['code'] | 'unknown';
  readonly status: number;
  /** Every invalid part of the input, with its JSON pointer. */
  readonly errors: readonly { readonly pointer: string; readonly detail: string }[];
  /** Also in the operators' log. */
  readonly requestId: string | null;
  /** Seconds of `Retry-After`, if the service sent it. */
  readonly retryAfterSeconds: number | null;

  private constructor(response: Response, { code, title, detail, errors }: Partial<ProblemDocument>) {
    super([title ?? `Status ${response.status}`, detail].filter(Boolean).join(': '));
    this.name = 'DonorlensProblem';
    this.code = code ?? 'unknown';
    this.status = response.status;
    this.errors = errors ?? [];
    this.requestId = response.headers.get('x-request-id');
    this.retryAfterSeconds = retryAfterSeconds(response);
  }

  /**
   * Reads the body of an error response. Without a problem document it comes from an intermediary such as a proxy.
   * @throws DonorlensUnreachable if the connection breaks before the end of the body
   */
  static async of(response: Response): Promise<DonorlensProblem> {
    return new DonorlensProblem(response, documentIn(await response.text()));
  }
}

function documentIn(text: string): Partial<ProblemDocument> {
  try {
    const body: unknown = JSON.parse(text);
    return typeof body === 'object' && body !== null ? body : {};
  } catch {
    return {};
  }
}

/** `Retry-After` in seconds; the header may be a date. */
export function retryAfterSeconds({ headers }: Response): number | null {
  const text = headers.get('retry-after');
  if (text === null) return null;
  if (/^\d+$/.test(text)) return Number(text);
  const seconds = (Date.parse(text) - Date.now()) / 1000;
  return Number.isNaN(seconds) ? null : Math.max(0, Math.ceil(seconds));
}
