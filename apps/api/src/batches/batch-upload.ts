import { type Readable } from 'node:stream';
import { INTAKE_LIMITS, IntakeError, type InputFormat } from '@donorlens/batches';
import { AGE_BASES, type AgeBasis } from '@donorlens/demographics';
import { BATCH_TYPES, type BatchType, ETHNICITY_OPTIONS, type EthnicityOption } from '@donorlens/primitives';
import { type FastifyRequest } from 'fastify';
import { checkShape, jsonText, parseJson } from '../http/json-body';
import { mediaType } from '../http/media-types';
import { ParameterReader, type QueryParameters, checkBodyMembers } from '../http/query-parameters';
import { isGzipped, readBody } from '../http/request-body';
import { ageParameters } from '../schemas/parameters';
import { firstFile, type FormFile } from './multipart-file';

/** A JSON document is parsed as a whole, so its size is limited. The line formats are streamed without this limit. */
const MAX_JSON_BYTES = 25 * 1024 * 1024;
const MAX_JSON = { containers: 300_000, values: 2_000_000 };

const FORMATS = ['csv', 'itcont', 'ndjson'] as const;

/** Options for reading the file, from parameters of the URL or from form fields before the file. */
export interface UploadOptions {
  readonly type: BatchType | undefined;
  readonly format: InputFormat | undefined;
  readonly sheet: string | undefined;
  readonly minAge: number | undefined;
  readonly ageBasis: AgeBasis;
  readonly ethnicityBasis: EthnicityOption | undefined;
  /** Column by field, from `map.<field>=<column>`. The column is empty if the file does not have the field. */
  readonly mapping: Readonly<Record<string, string>>;
}

export interface Upload {
  readonly type: BatchType;
  readonly format: InputFormat;
  readonly sheet: string | undefined;
  readonly minAge: number | undefined;
  readonly ageBasis: AgeBasis;
  readonly ethnicityBasis: EthnicityOption | undefined;
  readonly mapping: Readonly<Record<string, string>>;
  /** From a header, a form field or a JSON member, never from the URL: it may contain a secret, and URLs are logged. */
  readonly webhookUrl: string | undefined;
  /** Name of the file of a form; null if there is none. */
  readonly name: string | null;
  readonly source: Readable | readonly unknown[];
}

/** @throws Problem 400 */
export function uploadOptions(given: QueryParameters): UploadOptions {
  const parameters = new ParameterReader(given);
  const options = readOptions(parameters, given);
  parameters.finish();
  return options;
}

function readOptions(parameters: ParameterReader, given: QueryParameters): UploadOptions {
  const mapped = Object.keys(given).filter((one) => one.startsWith('map.'));
  if (mapped.some((name) => Array.isArray(given[name])))
    parameters.addFault('map.{field}', 'may be given once for a field');
  const columns = mapped
    .filter((name) => !Array.isArray(given[name]))
    .map((name) => [name.slice('map.'.length), given[name] === '' ? '' : parameters.text(name)] as const);
  const options = {
    type: parameters.oneOf('type', BATCH_TYPES),
    format: parameters.oneOf('format', FORMATS),
    sheet: parameters.text('sheet'),
    ...ageParameters(parameters, AGE_BASES),
    ethnicityBasis: parameters.oneOf('ethnicity_basis', ETHNICITY_OPTIONS),
    // fromEntries defines properties: a field named __proto__ is rejected like every other unknown field.
    mapping: Object.fromEntries(columns.filter((pair): pair is [string, string] => pair[1] !== undefined)),
  };
  if (options.ethnicityBasis === 'place' && (options.type ?? 'contributions') !== 'contributions')
    parameters.addFault('ethnicity_basis', 'place needs type=contributions');
  return options;
}

/** Maximum size of a form without its file: fields, part headers and boundaries. */
const FORM_BYTES = 1024 ** 2;

/**
 * Rejects a body by its Content-Length before the client sends it. A gzip body would be even longer when decompressed.
 * @throws IntakeError
 */
export function checkLength({ headers }: FastifyRequest): void {
  if (Number(headers['content-length']) > INTAKE_LIMITS.bytes + FORM_BYTES)
    throw new IntakeError('too_large', 'the input is larger than 2 GB; send it in parts');
}

/**
 * Turns the body of a request into input of the intake. Only JSON is held in memory; all other formats are streamed.
 * @throws Problem
 */
export async function uploadOf(request: FastifyRequest): Promise<Upload> {
  checkLength(request);
  isGzipped(request); // rejects other encodings; the intake detects gzip by its first bytes
  const upload = await bodyOf(request, request.query as QueryParameters);
  return { ...upload, webhookUrl: request.headers['webhook-url']?.toString() ?? upload.webhookUrl };
}

async function bodyOf(request: FastifyRequest, query: QueryParameters): Promise<Upload> {
  const type = mediaType(request.headers['content-type']);
  if (type === 'application/json') return jsonUpload(request, query);
  if (type !== 'multipart/form-data')
    return fileUpload(request.body as Readable, uploadOptions(query), type.endsWith('ndjson') ? 'ndjson' : 'csv');
  return formUpload(await firstFile(request), query);
}

/**
 * Combines the file of a form with the options from its fields and from the query.
 * @throws Problem 400
 */
export function formUpload({ stream, filename, fields }: FormFile, query: QueryParameters = {}): Upload {
  const name = filename.replace(/\.gz$/i, '');
  const probableFormat: InputFormat = /\.(ndjson|jsonl)$/i.test(name) ? 'ndjson' : 'csv';
  const upload = fileUpload(stream, uploadOptions({ ...fields, ...query }), probableFormat);
  return { ...upload, webhookUrl: fields.webhook_url, name: shownName(filename) };
}

const MAX_NAME = 200;

/** File name without control characters, shortened to fit one line. Null if nothing remains. */
const shownName = (filename: string): string | null =>
  filename.slice(0, MAX_NAME).replace(/\p{C}/gu, '').trim() || null;

const fileUpload = (source: Readable, options: UploadOptions, probableFormat: InputFormat): Upload => ({
  ...options,
  type: options.type ?? 'contributions',
  format: options.format ?? probableFormat,
  webhookUrl: undefined,
  name: null,
  source,
});

/** Options that a JSON body may have instead of the URL. */
const JSON_MEMBERS = ['type', 'min_age', 'age_basis', 'ethnicity_basis'];

async function jsonUpload(request: FastifyRequest, query: QueryParameters): Promise<Upload> {
  uploadOptions(query);
  const limits = { ...MAX_JSON, maxBytes: MAX_JSON_BYTES, advice: 'Send more as text/csv or application/x-ndjson.' };
  const body = parseJson(jsonText(await readBody(request, limits)));
  checkShape(body);
  checkBodyMembers(request, body, JSON_MEMBERS);
  const members = (body ?? {}) as Record<string, unknown>;
  const own = bodyOptions(members, query);
  const bodyMembers = Object.keys(own).filter((name) => !query[name]);
  const given: QueryParameters = { ...query, ...Object.fromEntries(bodyMembers.map((name) => [name, own[name]])) };
  const parameters = new ParameterReader(given, bodyMembers);
  const options = readOptions(parameters, given);
  parameters.finish();
  return {
    ...options,
    type: options.type as BatchType, // checked above
    webhookUrl: members.webhook_url as string | undefined,
    name: null,
    format: 'json',
    source: members.queries as unknown[],
  };
}

/**
 * Options of a JSON body as texts, each checked by itself, also one that a parameter of the URL replaces.
 * @throws Problem 400
 */
function bodyOptions(members: Readonly<Record<string, unknown>>, query: QueryParameters): Record<string, string> {
  const { queries, webhook_url } = members;
  const names = JSON_MEMBERS.filter((name) => members[name] !== undefined);
  const texts: Record<string, string> = Object.fromEntries(
    names.map((name) => [name, memberText(name, members[name])]),
  );
  const reader = new ParameterReader(texts, [...JSON_MEMBERS, 'queries', 'webhook_url']);
  if (!Array.isArray(queries) || queries.length === 0) reader.addFault('queries', 'must be a list of queries');
  if (!query.type && !names.includes('type')) reader.addFault('type', `must be one of ${BATCH_TYPES.join(', ')}`);
  if (!query.type) reader.oneOf('type', BATCH_TYPES);
  reader.wholeNumber('min_age', 0, 100);
  reader.oneOf('age_basis', AGE_BASES);
  reader.oneOf('ethnicity_basis', ETHNICITY_OPTIONS);
  if (webhook_url !== undefined && typeof webhook_url !== 'string') reader.addFault('webhook_url', 'must be a URL');
  reader.finish();
  return texts;
}

/** A value as in a URL; one of another JSON type becomes a text that is not valid there. */
const memberText = (name: string, value: unknown): string =>
  typeof value === 'string' && value !== '' && name !== 'min_age' ? value : JSON.stringify(value);
