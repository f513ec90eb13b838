import { answerOf, type Connection } from './connection';
import { withRetries } from './retry';
import { type components, type operations } from './schema';
import { sleep } from './sleep';
import { valuesOf } from './ndjson';

export type Batch = components['schemas']['Batch'];
type Parameters = NonNullable<operations['post_enrich_v1_batches']['parameters']['query']>;

/** Content of a file. Everything except a stream is retried on 429 and 503. */
export type BatchSource = string | Blob | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>;

export interface SubmitOptions {
  /** `text/csv` by default; gzip and .xlsx are detected. */
  readonly contentType?: 'text/csv' | 'application/x-ndjson' | 'application/json' | 'application/gzip';
  readonly type?: Parameters['type'];
  readonly format?: Parameters['format'];
  /** Name or number of a sheet of an .xlsx workbook. */
  readonly sheet?: string;
  readonly minAge?: number;
  /** Whose ages the results have. */
  readonly ageBasis?: Parameters['age_basis'];
  readonly ethnicityBasis?: Parameters['ethnicity_basis'];
  /** Field to your column: `{ first_name: 'GIVEN' }`. Known headers need no mapping. */
  readonly map?: Readonly<Record<string, string>>;
  /** Public https URL that receives a webhook at the end; sent as a header, because it may contain a secret. */
  readonly webhookUrl?: string;
  /** The same key with the same file is one batch, however often it is sent. Random by default. */
  readonly idempotencyKey?: string;
  readonly signal?: AbortSignal;
}

export interface WaitOptions {
  readonly signal?: AbortSignal;
  /** Called with each polled state. */
  readonly onProgress?: (batch: Batch) => void;
}

export interface ResultOptions {
  readonly format?: 'csv' | 'ndjson' | 'json' | 'parquet' | 'xlsx';
  /** Returns finished rows of a batch that has not ended. */
  readonly partial?: boolean;
  /** Adds quartiles, gender share, name keys and what the estimates rest on. */
  readonly detail?: boolean;
  /** Omits the `'` before text that a spreadsheet would run as a formula. */
  readonly raw?: boolean;
  readonly signal?: AbortSignal;
}

export interface Batches {
  /** Submits a file. It is stored durably when this returns. */
  submitBatch(source: BatchSource, options?: SubmitOptions): Promise<Batch>;
  /** Polls until the batch has completed. @throws BatchEndedError if it cannot */
  waitForBatch(id: string, options?: WaitOptions): Promise<Batch>;
  /** Streams the results, as CSV by default. */
  resultStream(id: string, options?: ResultOptions): Promise<ReadableStream<Uint8Array>>;
  /** Streams the results row by row, with one row in memory. */
  results(id: string, options?: Omit<ResultOptions, 'format'>): AsyncGenerator<Record<string, unknown>>;
}

/** The batch was cancelled, has failed or has expired. */
export class BatchEndedError extends Error {
  constructor(readonly batch: Batch) {
    super(`The batch is ${batch.state}${batch.error === null ? '' : `: ${batch.error}`}.`);
    this.name = 'BatchEndedError';
  }
}

const ENDED: readonly Batch['state'][] = ['cancelled', 'failed', 'expired'];
/** A long batch is polled less often. */
const SHARE_OF_REST = 0.1;
const MAX_PAUSE_SECONDS = 30;

const pauseOf = ({ headers }: Response, { eta_seconds: rest }: Batch): number =>
  Math.max(Number(headers.get('retry-after')) || 1, Math.min((rest ?? 0) * SHARE_OF_REST, MAX_PAUSE_SECONDS));

export const batches = (connection: Connection): Batches => ({
  submitBatch: (source, options = {}) => submit(connection, source, options),
  waitForBatch: (id, options = {}) => wait(connection, id, options),
  resultStream: (id, options = {}) => stream(connection, id, options),
  results: async function* (id, options = {}) {
    yield* valuesOf<Record<string, unknown>>(await stream(connection, id, { ...options, format: 'ndjson' }));
  },
});

async function submit(
  { client, send, retries }: Connection,
  source: BatchSource,
  options: SubmitOptions,
): Promise<Batch> {
  const {
    contentType = 'text/csv',
    type,
    format,
    sheet,
    minAge,
    ageBasis,
    ethnicityBasis,
    map = {},
    webhookUrl,
    signal,
  } = options;
  const idempotencyKey = options.idempotencyKey ?? crypto.randomUUID();
  const header = {
    'Idempotency-Key': idempotencyKey,
    ...(webhookUrl !== undefined && { 'Webhook-Url': new URL(webhookUrl).href }), // headers are ASCII
  };
  const columns = Object.entries(map).map(([field, column]) => [`map.${field}`, column]);
  const query: Parameters = {
    type,
    format,
    sheet,
    min_age: minAge,
    age_basis: ageBasis,
    ethnicity_basis: ethnicityBasis,
    ...(Object.fromEntries(columns) as object),
  };
  const attempt = (): Promise<Batch> =>
    answerOf(
      client.POST('/enrich/v1/batches', {
        params: { query, header },
        headers: { 'content-type': contentType },
        body: source as never, // the types only know JSON; the body is sent unchanged
        bodySerializer: (body) => body,
        duplex: 'half', // required for streams
        fetch: send,
        signal,
      }),
    );
  return withRetries(attempt, source instanceof ReadableStream ? 0 : retries, signal);
}

async function wait({ client }: Connection, id: string, { signal, onProgress }: WaitOptions): Promise<Batch> {
  for (;;) {
    const answer = await client.GET('/enrich/v1/batches/{id}', {
      params: { path: { id }, query: { format: 'json' } },
      signal,
    });
    const batch = (await answerOf(Promise.resolve(answer))) as Batch;
    onProgress?.(batch);
    if (batch.state === 'completed') return batch;
    if (ENDED.includes(batch.state)) throw new BatchEndedError(batch);
    await sleep(pauseOf(answer.response, batch), signal);
  }
}

async function stream(
  { client }: Connection,
  id: string,
  { format = 'csv', partial, raw, detail, signal }: ResultOptions,
): Promise<ReadableStream<Uint8Array>> {
  const body = await answerOf(
    client.GET('/enrich/v1/batches/{id}/results', {
      params: { path: { id }, query: { format, partial, raw, detail } },
      parseAs: 'stream',
      signal,
    }),
  );
  if (body === null) throw new Error('The service has answered with nothing.');
  return body;
}
