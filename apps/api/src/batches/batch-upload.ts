import { type Readable } from 'node:stream';
import { INTAKE_LIMITS, IntakeError, type InputFormat } from '@donorlens/batches';
import { BATCH_TYPES, type BatchType } from '@donorlens/primitives';
import { type FastifyRequest } from 'fastify';
import { checkShape, jsonText, parseJson } from '../http/json-body';
import { mediaType } from '../http/media-types';
import { invalidRequest } from '../http/problem';
import { ParameterReader, type QueryParameters } from '../http/query-parameters';
import { isGzipped, readBody } from '../http/request-body';
import { firstFile, type FormFile } from './multipart-file';

/** A JSON document is parsed as a whole, so it is bounded; the line formats are streamed and are not. */
const MOST_JSON_BYTES = 25 * 1024 * 1024;
const MOST_JSON = { holders: 300_000, values: 2_000_000 };

const FORMATS = ['csv', 'itcont', 'ndjson'] as const;

/** What the client said about its file: in the URL, or in the fields of a form before the file. */
export interface UploadOptions {
  readonly type: BatchType | undefined;
  readonly format: InputFormat | undefined;
  readonly minAge: number | undefined;
  /** Our field to the caller's column, from `map.<field>=<column>`; an empty one: in no column. */
  readonly mapping: Readonly<Record<string, string>>;
}

export interface Upload {
  readonly type: BatchType;
  readonly format: InputFormat;
  readonly minAge: number | undefined;
  readonly mapping: Readonly<Record<string, string>>;
  /** From a header, a field of a form or a member of the JSON: it may hold a secret of the receiver's, and URLs end in logs. */
  readonly webhookUrl: string | undefined;
  /** Of the file of a form; null where there is none. */
  readonly name: string | null;
  readonly source: Readable | readonly unknown[];
}

/** @throws Problem 400 */
export function uploadOptions(given: QueryParameters): UploadOptions {
  const parameters = new ParameterReader(given);
  const mapped = Object.keys(given).filter((one) => one.startsWith('map.'));
  if (mapped.some((name) => Array.isArray(given[name])))
    parameters.wrong('map.{field}', 'may be given once for a field');
  const columns = mapped
    .filter((name) => !Array.isArray(given[name]))
    .map((name) => [name.slice('map.'.length), given[name] === '' ? '' : parameters.text(name)] as const);
  const options = {
    type: parameters.oneOf('type', BATCH_TYPES),
    format: parameters.oneOf('format', FORMATS),
    minAge: parameters.wholeNumber('min_age', 0, 100),
    // Defined, not assigned: a field named __proto__ is to be refused like every other that nobody knows.
    mapping: Object.fromEntries(columns.filter((pair): pair is [string, string] => pair[1] !== undefined)),
  };
  parameters.finish();
  return options;
}

/** What a form may add to its file: fields, headers of parts and their boundaries. */
const FORM_BYTES = 1024 ** 2;

/** Refuses what says itself that it is too long, before it is sent. Packed, it would be longer still. @throws IntakeError */
export function checkLength({ headers }: FastifyRequest): void {
  if (Number(headers['content-length']) > INTAKE_LIMITS.bytes + FORM_BYTES)
    throw new IntakeError('too_large', 'the input is larger than 2 GB; send it in parts');
}

/** The body of a request as something that the intake reads. Nothing but JSON is held in memory. @throws Problem */
export async function uploadOf(request: FastifyRequest): Promise<Upload> {
  checkLength(request);
  isGzipped(request); // refuses the encodings that nobody here inflates; a gzip is told by its first bytes
  const query = request.query as QueryParameters;
  if ('webhook_url' in query)
    throw invalidRequest([{ pointer: '/query/webhook_url', detail: 'must be sent as the header Webhook-Url' }]);
  const upload = await bodyOf(request, query);
  return { ...upload, webhookUrl: request.headers['webhook-url']?.toString() ?? upload.webhookUrl };
}

async function bodyOf(request: FastifyRequest, query: QueryParameters): Promise<Upload> {
  const type = mediaType(request.headers['content-type']);
  if (type === 'application/json') return jsonUpload(request, uploadOptions(query));
  if (type !== 'multipart/form-data')
    return fileUpload(request.body as Readable, uploadOptions(query), type.endsWith('ndjson') ? 'ndjson' : 'csv');
  return formUpload(await firstFile(request), query);
}

/** The file of a form, read as its fields and then the query say. @throws Problem 400 */
export function formUpload({ stream, filename, fields }: FormFile, query: QueryParameters = {}): Upload {
  const name = filename.replace(/\.gz$/i, '');
  const likely = /\.(ndjson|jsonl)$/i.test(name) ? 'ndjson' : 'csv';
  const upload = fileUpload(stream, uploadOptions({ ...fields, ...query }), likely);
  return { ...upload, webhookUrl: fields.webhook_url, name: shownName(filename) };
}

const MOST_NAME = 200;

/** As far as it can be stored and shown on a line. */
const shownName = (filename: string): string | null =>
  filename.slice(0, MOST_NAME).replace(/\p{C}/gu, '').trim() || null;

const fileUpload = (source: Readable, options: UploadOptions, likely: InputFormat): Upload => ({
  ...options,
  type: options.type ?? 'contributions',
  format: options.format ?? likely,
  webhookUrl: undefined,
  name: null,
  source,
});

async function jsonUpload(request: FastifyRequest, options: UploadOptions): Promise<Upload> {
  const limits = { ...MOST_JSON, maxBytes: MOST_JSON_BYTES, advice: 'Send more as text/csv or application/x-ndjson.' };
  const body = parseJson(jsonText(await readBody(request, limits)));
  checkShape(body);
  const { queries, type, min_age, webhook_url } = (body ?? {}) as Record<string, unknown>;
  const faults = [
    ...(Array.isArray(queries) && queries.length > 0
      ? []
      : [{ pointer: '/queries', detail: 'must be a list of queries' }]),
    ...(options.type !== undefined || BATCH_TYPES.some((one) => one === type)
      ? []
      : [{ pointer: '/type', detail: `must be one of ${BATCH_TYPES.join(', ')}` }]),
    ...(min_age === undefined || (Number.isInteger(min_age) && Number(min_age) >= 0 && Number(min_age) <= 100)
      ? []
      : [{ pointer: '/min_age', detail: 'must be a whole number from 0 to 100' }]),
    ...(webhook_url === undefined || typeof webhook_url === 'string'
      ? []
      : [{ pointer: '/webhook_url', detail: 'must be a URL' }]),
  ];
  if (faults.length > 0) throw invalidRequest(faults);
  return {
    ...options,
    type: options.type ?? (type as BatchType),
    minAge: options.minAge ?? (min_age as number | undefined),
    webhookUrl: webhook_url as string | undefined,
    name: null,
    format: 'json',
    source: queries as unknown[],
  };
}
