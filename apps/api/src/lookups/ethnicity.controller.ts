import { Controller, HttpCode, Post, Req, Res } from '@nestjs/common';
import { ReleaseHolder } from '@donorlens/reference-data';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { z } from 'zod';
import { BatchSubmission } from '../batches/batch-submission';
import { batchSchema } from '../batches/batch-wire';
import { parseJson } from '../http/json-body';
import { Route } from '../http/route-policy';
import { ETHNICITY, ETHNICITY_ANSWER } from '../openapi/examples';
import { JSON_UTF8 } from './bulk-answer';
import { BulkLimits } from './bulk-limits';
import { ethnicityResults } from './ethnicity-results';
import { lookupOptions, pinRelease, readBulk } from './lookup-request';
import { DETAIL, IDEMPOTENCY_KEY, PREFER } from './parameters';
import { faultsOf, queriesOf } from './queries';
import { bodyOf, ethnicityQuery, ethnicityResult } from './wire-schemas';

const body = bodyOf(ethnicityQuery);

@Controller('enrich/v1/ethnicity')
export class EthnicityController {
  constructor(
    private readonly releases: ReleaseHolder,
    private readonly limits: BulkLimits,
    private readonly batches: BatchSubmission,
  ) {}

  @Post()
  @HttpCode(200)
  @Route({
    access: 'enrich:read',
    summary: 'Ethnicity of many surnames. results[i] answers queries[i].',
    query: [DETAIL],
    headers: [PREFER, IDEMPOTENCY_KEY],
    body: { 'application/json': body },
    example: { 'application/json': ETHNICITY },
    answers: {
      200: {
        description: 'One result per query, in the order of the queries; an unknown surname has nulls.',
        content: { 'application/json': z.object({ results: z.array(ethnicityResult) }) },
        example: { 'application/json': ETHNICITY_ANSWER },
      },
      202: { description: 'Taken as a batch.', content: { 'application/json': batchSchema } },
    },
    problems: [
      'malformed-body',
      'body-too-large',
      'too-many-queries',
      'idempotency-in-flight',
      'idempotency-mismatch',
      'quota-exceeded',
      'unavailable',
    ],
  })
  async bulk(@Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply): Promise<unknown> {
    const { detail } = lookupOptions(request);
    const release = pinRelease(this.releases, reply);
    const sent = parseJson(await readBulk(request));
    const queries = queriesOf(sent, body);
    if (this.limits.isBatch(request, queries))
      return this.batches.takeQueries('ethnicity', queries, { request, reply, release, minAge: undefined });
    this.limits.check(queries);
    const results = await ethnicityResults(queries, release, detail);
    if (results === undefined) throw faultsOf(sent, body);
    void reply.header('content-type', JSON_UTF8);
    return results;
  }
}
