import { grouped } from '@donorlens/primitives';
import { MAX_SHEET_ROWS } from '@donorlens/tabular';

/** Status and title of every problem, by its stable code. */
export const PROBLEMS = {
  'invalid-request': [400, 'The request is not valid'],
  'malformed-body': [400, 'The body cannot be read'],
  'unreadable-batch': [400, 'The batch cannot be read'],
  'ambiguous-key': [400, 'The key was sent more than once'],
  unauthorized: [401, 'A valid key is needed'],
  'missing-scope': [403, 'This key lacks the permission'],
  'stale-form': [403, 'The form does not belong to this session'],
  'not-found': [404, 'Not found'],
  'method-not-allowed': [405, 'Method not allowed'],
  'request-timeout': [408, 'The request took too long to arrive'],
  'batch-not-finished': [409, 'The batch is not finished'],
  'idempotency-in-flight': [409, 'The same request is being answered'],
  'no-donor-ages': [409, 'No ages of donors are stored'],
  'wrong-state': [409, 'The batch is not in a state for this'],
  'no-geography': [409, 'The data release lacks a file'],
  expired: [410, 'The rows of this batch are deleted'],
  'body-too-large': [413, 'The body is too large'],
  'too-many-queries': [413, 'Too many queries for one synchronous request'],
  'url-too-long': [414, 'The URL is too long'],
  'unsupported-media-type': [415, 'Unsupported media type'],
  'unsupported-encoding': [415, 'Unsupported content encoding'],
  'unknown-expectation': [417, 'The expectation is not known'],
  'idempotency-mismatch': [422, 'The idempotency key belongs to another body'],
  'rate-limited': [429, 'Too many requests'],
  'quota-exceeded': [429, 'The daily quota is used up'],
  'headers-too-large': [431, 'The headers are too large'],
  internal: [500, 'Internal error'],
  unavailable: [503, 'Service unavailable'],
} as const satisfies Record<string, readonly [status: number, title: string]>;

export type ProblemCode = keyof typeof PROBLEMS;

/** One invalid part of the input. The pointer is a JSON pointer into the body, or `/path/…`, `/query/…`. */
export interface Fault {
  readonly pointer: string;
  readonly detail: string;
}

export const MAX_FAULTS = 100;

interface ProblemParts {
  /** Replaces the title of the code. */
  readonly title?: string;
  readonly faults?: readonly Fault[];
  readonly headers?: Readonly<Record<string, string>>;
  /** Additional members of the problem document, such as the line of an invalid row. */
  readonly members?: Readonly<Record<string, unknown>>;
}

/** An error response. Its texts never repeat the input. */
export class Problem extends Error {
  readonly status: number;
  readonly title: string;

  constructor(
    readonly code: ProblemCode,
    readonly detail: string,
    readonly parts: ProblemParts = {},
  ) {
    super(detail);
    this.name = 'Problem';
    const [status, title] = PROBLEMS[code];
    this.status = status;
    this.title = parts.title ?? title;
  }

  /** The document of RFC 9457. `instance` is the request's id; a 401 has none, so that all are byte-identical. */
  document(requestId: string | undefined): Record<string, unknown> {
    return {
      type: `urn:donorlens:problem:${this.code}`,
      title: this.title,
      status: this.status,
      detail: this.detail,
      code: this.code,
      ...(requestId && this.status !== 401 && { instance: `urn:uuid:${requestId}` }),
      ...this.parts.members,
      ...(this.parts.faults && { errors: this.parts.faults.slice(0, MAX_FAULTS) }),
    };
  }
}

/** Error for the log and the metrics; the client is disconnected and does not receive it. */
export const clientDisconnected = (): Problem =>
  new Problem('malformed-body', 'The client disconnected before the response.');

export const invalidRequest = (faults: readonly Fault[]): Problem =>
  new Problem(
    'invalid-request',
    faults.length > MAX_FAULTS
      ? `The input has more than ${MAX_FAULTS} faults; these are the first of them.`
      : faults.length === 1
        ? faultSentence(faults[0])
        : `The input has ${faults.length} faults.`,
    { faults },
  );

/** Formats an invalid part as a sentence, such as `/query/cycle must be an even year.` */
const faultSentence = ({ pointer, detail }: Fault): string =>
  `${pointer || 'The body'} ${detail}${/[.!?]$/.test(detail) ? '' : '.'}`;

/** @throws Problem 400 if the format is xlsx and there are more rows than a sheet can hold */
export function checkSheetRows(format: string, rows: number): void {
  if (format !== 'xlsx' || rows <= MAX_SHEET_ROWS) return;
  const detail = `xlsx has at most ${grouped(MAX_SHEET_ROWS)} rows; use csv or parquet`;
  throw invalidRequest([{ pointer: '/query/format', detail }]);
}
