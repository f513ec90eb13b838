import { Controller, HttpCode, Post, Req, Res } from '@nestjs/common';
import { ReleaseHolder } from '@donorlens/reference-data';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { z } from 'zod';
import { BatchSubmission } from '../batches/batch-submission';
import { batchSchema } from '../batches/batch-wire';
import { checkShape, parseJson } from '../http/json-body';
import { Route } from '../http/route-policy';
import { CONTRIBUTIONS, CONTRIBUTIONS_ANSWER } from '../openapi/examples';
import { BulkLimits } from './bulk-limits';
import { ContributionAnswers } from './contribution-answers';
import { lookupOptions, pinRelease, readBulk } from './lookup-request';
import { IDEMPOTENCY_KEY, MIN_AGE, PREFER_LOCATED } from './parameters';
import { queriesOf } from './queries';
import { bodyOf, contributionQuery, contributionResult } from './wire-schemas';

const body = bodyOf(contributionQuery);

@Controller('enrich/v1/contributions')
export class ContributionsController {
  constructor(
    private readonly releases: ReleaseHolder,
    private readonly limits: BulkLimits,
    private readonly batches: BatchSubmission,
    private readonly answers: ContributionAnswers,
  ) {}

  @Post()
  @HttpCode(200)
  @Route({
    access: 'enrich:read',
    summary: 'Everything about many contributions. results[i] answers queries[i].',
    query: [MIN_AGE],
    headers: [PREFER_LOCATED, IDEMPOTENCY_KEY],
    body: { 'application/json': body },
    example: { 'application/json': CONTRIBUTIONS },
    answers: {
      200: {
        description:
          'One result per query, in their order. An address that is not located yet is PENDING, and is asked for: the same query has its county later.',
        content: { 'application/json': z.object({ results: z.array(contributionResult) }) },
        example: { 'application/json': CONTRIBUTIONS_ANSWER },
      },
      202: { description: 'Taken as a batch. Location says where.', content: { 'application/json': batchSchema } },
    },
    problems: [
      'malformed-body',
      'body-too-large',
      'too-many-queries',
      'not-found',
      'idempotency-in-flight',
      'idempotency-mismatch',
      'quota-exceeded',
      'unavailable',
    ],
  })
  async bulk(@Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply): Promise<unknown> {
    const { minAge } = lookupOptions(request);
    const release = pinRelease(this.releases, reply);
    const sent = parseJson(await readBulk(request));
    const queries = queriesOf(sent, body);
    checkShape(sent);
    const submission = { request, reply, release, minAge };
    if (this.limits.isBatch(request, queries)) return this.batches.takeQueries('contributions', queries, submission);
    this.limits.check(queries);
    return this.answers.of(queries, submission);
  }
}
