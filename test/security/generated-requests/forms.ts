import { type Operation, type Parameter, type Schema } from './document';

/** Requests that only the forms of pages send; the document, which is for programs, does not list them. */
export function formsOf(operations: readonly Operation[]): readonly Operation[] {
  const [{ answers }] = operations;
  const problem = answers['500'];
  const refusals = [400, 401, 403, 404, 405, 408, 409, 413, 414, 415, 417, 422, 429, 431];
  const anyOf = (...statuses: number[]): Operation['answers'] => ({
    ...Object.fromEntries(refusals.map((status) => [status, problem])),
    ...Object.fromEntries(statuses.map((status) => [status, {}])),
  });
  const page = { ...anyOf(), 200: { 'text/html': { schema: {} } } };
  const started = { ...anyOf(303), 202: { 'application/json': { schema: {} } } };
  const bodies = { 'multipart/form-data': { schema: {} } };
  return [
    { method: 'POST', template: '/ops/ask', parameters: OPERATOR_PARAMETERS, bodies: {}, answers: anyOf(303) },
    {
      method: 'GET',
      template: '/batches',
      parameters: [query('after', {}), query('deleted', {})],
      bodies: {},
      answers: page,
    },
    { method: 'GET', template: '/batches/{id}/delete', parameters: [BATCH], bodies: {}, answers: page },
    { method: 'POST', template: '/batches/{id}/cancel', parameters: [BATCH], bodies: {}, answers: anyOf(303) },
    { method: 'POST', template: '/batches/{id}/delete', parameters: [BATCH], bodies: {}, answers: anyOf(303) },
    { method: 'POST', template: '/upload/preview', parameters: [], bodies, answers: page },
    { method: 'POST', template: '/upload/start', parameters: [], bodies, answers: started },
  ];
}

const BATCH: Parameter = { name: 'id', in: 'path', schema: { type: 'string', format: 'uuid' } };
const query = (name: string, schema: Schema): Parameter => ({ name, in: 'query', schema });

const ACTIONS = ['pause', 'resume', 'redrive', 'refresh', 'retry-addresses', 'cancel-batch', 'rebuild'];
const OPERATOR_PARAMETERS: readonly Parameter[] = [
  query('action', { enum: ACTIONS }),
  query('queue', { enum: ['enrich', 'geocode'] }),
  query('source', { enum: ['reference-data', 'fec', 'filings', 'charts'] }),
  query('outcome', { enum: ['ERROR'] }),
  query('batch', { type: 'string', format: 'uuid' }),
];
