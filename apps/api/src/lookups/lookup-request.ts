import { type ReleaseHolder, type Release } from '@donorlens/reference-data';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { jsonText } from '../http/json-body';
import { notWaitedFor, Problem } from '../http/problem';
import { ParameterReader, type QueryParameters } from '../http/query-parameters';
import { readBody } from '../http/request-body';
import { nextTurn } from '../http/turns';

/** Of a synchronous bulk body, decompressed. */
const MOST_BULK_BYTES = 5 * 1024 * 1024;
/** Of the shortest queries there are, 5 MB hold 150,000; of those with every field, 15,000. */
const MOST_BULK = { holders: 200_000, values: 1_000_000 };

/** Some 300 queries. What is longer stands in line: one a turn, so that in each turn short questions wait for one of them at most. */
const AT_ONCE_BYTES = 16 * 1024;

export async function readBulk(request: FastifyRequest): Promise<string> {
  const body = await readBody(request, {
    ...MOST_BULK,
    maxBytes: MOST_BULK_BYTES,
    advice: 'POST /enrich/v1/batches takes files of any size.',
  });
  if (body.length > AT_ONCE_BYTES) {
    await nextTurn();
    if (request.raw.socket.destroyed) throw notWaitedFor();
  }
  return jsonText(body);
}

export interface LookupOptions {
  readonly detail: boolean;
  readonly minAge: number;
}

/** `?detail=true` and `?min_age=18`. @throws Problem 400 */
export function lookupOptions(request: FastifyRequest): LookupOptions {
  const parameters = new ParameterReader(request.query as QueryParameters);
  const options = { detail: parameters.flag('detail'), minAge: parameters.wholeNumber('min_age', 0, 100) ?? 0 };
  parameters.finish();
  return options;
}

/** Pins the release that answers this request, and says which. @throws Problem 503 before the first release is loaded */
export function pinRelease(releases: ReleaseHolder, reply: FastifyReply): Release {
  const release = releases.current();
  if (release === null)
    throw new Problem('unavailable', 'The reference data is not loaded yet.', { headers: { 'retry-after': '5' } });
  void reply.header('data-version', release.id);
  return release;
}
