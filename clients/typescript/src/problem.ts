import { type components } from './schema';

type ProblemDocument = components['schemas']['Problem'];

/** What the service says when it does not succeed (RFC 9457), as an error. */
export class DonorlensProblem extends Error {
  /** Stable: programs tell faults apart by it. */
  readonly code: ProblemDocument['code'] | 'unknown';
  readonly status: number;
  /** Every fault of the input, with a JSON pointer to it. */
  readonly errors: readonly { readonly pointer: string; readonly detail: string }[];
  /** For the operators: it is in their log. */
  readonly requestId: string | null;
  /** When to come back, where the service says so. */
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

  /** Reads the body of an answer that is no success. One that is no problem document is of something on the way, as a proxy. */
  static async of(response: Response): Promise<DonorlensProblem> {
    const document = await response.json().then(
      (body: unknown) => (typeof body === 'object' && body !== null ? body : {}),
      () => ({}),
    );
    return new DonorlensProblem(response, document);
  }
}

/** `Retry-After` in seconds; it may also be a date. */
export function retryAfterSeconds({ headers }: Response): number | null {
  const text = headers.get('retry-after');
  if (text === null) return null;
  if (/^\d+$/.test(text)) return Number(text);
  const seconds = (Date.parse(text) - Date.now()) / 1000;
  return Number.isNaN(seconds) ? null : Math.max(0, Math.ceil(seconds));
}
