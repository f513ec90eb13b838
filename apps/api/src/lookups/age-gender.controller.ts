import { Controller, HttpCode, Post, Req, Res } from '@nestjs/common';
import { ReleaseHolder } from '@donorlens/reference-data';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { z } from 'zod';
import { BatchSubmission, type Submission } from '../batches/batch-submission';
import { batchSchema } from '../batches/batch-wire';
import { parseJson } from '../http/json-body';
import { Route } from '../http/route-policy';
import { AGE_GENDER, AGE_GENDER_ANSWER } from '../openapi/examples';
import { ageGenderResults, detailedAgeGenderResults, usualResults } from './age-gender-results';
import { JSON_UTF8 } from './bulk-answer';
import { BulkLimits } from './bulk-limits';
import { type LookupOptions, lookupOptions, pinRelease, readBulk } from './lookup-request';
import { DETAIL, IDEMPOTENCY_KEY, MIN_AGE, PREFER } from './parameters';
import { faultsOf, queriesOf } from './queries';
import { ageGenderQuery, ageGenderResult, bodyOf } from './wire-schemas';

const body = bodyOf(ageGenderQuery);

@Controller('enrich/v1/age_gender')
export class AgeGenderController {
  constructor(
    private readonly releases: ReleaseHolder,
    private readonly limits: BulkLimits,
    private readonly batches: BatchSubmission,
  ) {}

  @Post()
  @HttpCode(200)
  @Route({
    access: 'enrich:read',
    summary: 'Age and gender of many first names. results[i] answers queries[i].',
    query: [DETAIL, MIN_AGE],
    headers: [PREFER, IDEMPOTENCY_KEY],
    body: { 'application/json': body },
    example: { 'application/json': AGE_GENDER },
    answers: {
      200: {
        description: 'One result per query, in the order of the queries; an unknown name has nulls.',
        content: { 'application/json': z.object({ results: z.array(ageGenderResult) }) },
        example: { 'application/json': AGE_GENDER_ANSWER },
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
    const options = lookupOptions(request);
    const release = pinRelease(this.releases, reply);
    const text = await readBulk(request);
    void reply.header('content-type', JSON_UTF8);
    const isPlain = !options.detail && request.headers.prefer === undefined;
    const usual = isPlain ? await usualResults(text, release, this.limits.most, options.minAge) : undefined;
    return usual ?? this.inFull(parseJson(text), options, { request, reply, release, minAge: options.minAge });
  }

  private async inFull(sent: unknown, options: LookupOptions, submission: Submission): Promise<unknown> {
    const queries = queriesOf(sent, body);
    if (this.limits.isBatch(submission.request, queries))
      return this.batches.takeQueries('age_gender', queries, submission);
    this.limits.check(queries);
    const answer = options.detail ? detailedAgeGenderResults : ageGenderResults;
    const results = await answer(queries, submission.release, options.minAge);
    if (results === undefined) throw faultsOf(sent, body);
    return results;
  }
}
