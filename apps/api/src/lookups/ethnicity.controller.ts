import { Controller, Get, HttpCode, Param, Post, Req, Res } from '@nestjs/common';
import { FIRST_YEAR, LAST_YEAR } from '@donorlens/primitives';
import { ReleaseHolder } from '@donorlens/reference-data';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { z } from 'zod';
import { BatchSubmission } from '../batches/batch-submission';
import { batchSchema } from '../batches/batch-wire';
import { parseJson } from '../http/json-body';
import { type Fault, invalidRequest } from '../http/problem';
import { Route } from '../http/route-policy';
import { ETHNICITY, ETHNICITY_ANSWER } from '../openapi/examples';
import { BulkLimits } from './bulk-limits';
import { ethnicityResult as answerOf, ethnicityResults } from './ethnicity-results';
import { lookupOptions, pinRelease, readBulk } from './lookup-request';
import { DETAIL, IDEMPOTENCY_KEY, PREFER } from './parameters';
import { faultsOf, queriesOf } from './queries';
import { bodyOf, ethnicityQuery, ethnicityResult, MOST_NAME } from './wire-schemas';

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
    problems: ['malformed-body', 'body-too-large', 'too-many-queries', 'unavailable'],
  })
  async bulk(@Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply): Promise<unknown> {
    const { detail } = lookupOptions(request);
    const release = pinRelease(this.releases, reply);
    const sent = parseJson(await readBulk(request));
    const queries = queriesOf(sent, body);
    if (this.limits.isBatch(request, queries))
      return this.batches.takeQueries('ethnicity', queries, { request, reply, release, minAge: undefined });
    this.limits.check(queries);
    const results = ethnicityResults(queries, release, detail);
    if (results === undefined) throw faultsOf(sent, body);
    void reply.header('content-type', 'application/json');
    return results;
  }

  @Get('surname/:surname/year/:year')
  @Route({
    access: 'enrich:read',
    summary: 'Ethnicity of one surname.',
    query: [DETAIL],
    answers: { 200: { description: 'The result.', content: { 'application/json': ethnicityResult } } },
    problems: ['unavailable'],
  })
  single(
    @Param('surname') surname: string,
    @Param('year') yearText: string,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): string {
    const { detail } = lookupOptions(request);
    const year = checkedYear(surname, yearText);
    const release = pinRelease(this.releases, reply);
    void reply.header('content-type', 'application/json');
    return answerOf({ surname, year }, release, detail);
  }
}

function checkedYear(surname: string, text: string): number {
  const faults: Fault[] = [];
  const year = /^\d{4}$/.test(text) ? Number(text) : NaN;
  if (!(year >= FIRST_YEAR))
    faults.push({ pointer: '/path/year', detail: `must be a year from ${FIRST_YEAR} to ${LAST_YEAR}` });
  if (surname.length > MOST_NAME)
    faults.push({ pointer: '/path/surname', detail: `must have at most ${MOST_NAME} characters` });
  if (faults.length > 0) throw invalidRequest(faults);
  return year;
}
