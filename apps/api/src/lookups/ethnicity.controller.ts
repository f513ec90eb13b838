import { Controller, HttpCode, Post, Redirect, Req, Res, Get, Param, Query } from '@nestjs/common';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { z } from 'zod';
import { FIRST_YEAR, LAST_YEAR } from '@donorlens/primitives';
import { ReleaseHolder } from '@donorlens/reference-data';
import { BatchSubmission } from '../batches/batch-submission';
import { batchSchema } from '../batches/batch-wire';
import { pinRelease } from '../http/request-hooks';
import { parseJson } from '../http/json-body';
import { ParameterReader, type QueryParameters } from '../http/query-parameters';
import { Route } from '../http/route-policy';
import { sendPage } from '../http/send-page';
import { ETHNICITY, ETHNICITY_ANSWER } from '../schemas/examples';
import { DETAIL, IDEMPOTENCY_KEY, PREFER, format } from '../schemas/parameters';
import { bodyOf, ethnicityQuery, ethnicityResult, MAX_NAME } from '../schemas/queries';
import { lookupPath, isDotSegment, LookupPages, pageContextOf } from './lookup-pages';
import { JSON_UTF8, BulkLimits, lookupOptions, readBulk, invalidBodyProblem, queriesOf } from './bulk-request';
import { ethnicityAnswer, ethnicityResult as answerOf, ethnicityResults } from './ethnicity-results';

const body = bodyOf(ethnicityQuery);

const FORMATS = ['json', 'html', 'svg'] as const;

@Controller('enrich/v1/ethnicity')
export class EthnicityController {
  constructor(
    private readonly releases: ReleaseHolder,
    private readonly limits: BulkLimits,
    private readonly batches: BatchSubmission,
    private readonly pages: LookupPages,
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
      202: { description: 'Accepted as a batch.', content: { 'application/json': batchSchema } },
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
    const queries = queriesOf(sent, body, request);
    if (this.limits.isBatch(request, queries))
      return this.batches.submitQueries('ethnicity', queries, { request, reply, release, minAge: undefined });
    this.limits.check(queries);
    const results = await ethnicityResults(queries, release, detail);
    if (results === undefined) throw invalidBodyProblem(sent, body);
    void reply.header('content-type', JSON_UTF8);
    return results;
  }

  @Get('surname/:surname/year/:year')
  @Route({
    access: 'enrich:read',
    page: true,
    summary: 'Ethnicity of one surname; with a format also as a page or a picture.',
    query: [format(...FORMATS), DETAIL],
    answers: {
      200: {
        description: 'The result, as JSON also for a browser: only `format` gives the page.',
        content: { 'application/json': ethnicityResult, 'text/html': null, 'image/svg+xml': null },
      },
    },
    problems: ['unavailable'],
  })
  show(
    @Param('surname') surname: string,
    @Param('year') yearText: string,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): string | Buffer {
    const parameters = new ParameterReader(request.query as QueryParameters);
    const wished = parameters.oneOf('format', FORMATS) ?? 'json';
    const detail = parameters.flag('detail');
    const year = parsePath(parameters, surname, yearText);
    parameters.finish();
    const release = pinRelease(this.releases, reply);
    if (wished === 'json') {
      void reply.header('content-type', 'application/json');
      return answerOf({ surname, year }, release, detail);
    }
    const answer = ethnicityAnswer(release, surname, year);
    if (wished === 'html')
      return sendPage(request, reply, this.pages.ethnicityPage(answer, release, pageContextOf(request)));
    void reply.headers({
      'content-type': 'image/svg+xml; charset=utf-8',
      'content-security-policy': this.pages.chartPolicy,
    });
    return this.pages.ethnicityChart(answer, release);
  }

  /** Redirects the form of the page, because a form cannot put its fields into a path. */
  @Get('ask')
  @Redirect('', 303)
  @Route({
    access: 'public',
    page: true,
    summary: 'Leads the form of the page to the address of its surname and year.',
    query: [
      { name: 'surname', description: 'Field of the form.', schema: z.string() },
      { name: 'year', description: 'Field of the form.', schema: z.string() },
    ],
    answers: { 303: { description: 'To the page of the surname and year.' } },
  })
  ask(@Query() query: QueryParameters): { url: string } {
    const parameters = new ParameterReader(query);
    const surname = parameters.text('surname') ?? ' ';
    const year = parameters.wholeNumber('year', FIRST_YEAR, LAST_YEAR);
    if (isDotSegment(surname)) parameters.addFault('surname', 'must be a surname');
    if (parameters.text('year') === undefined) parameters.addFault('year', 'must be given');
    const passedOn = { format: 'html', apiKey: parameters.text('apiKey') };
    parameters.finish();
    return { url: lookupPath(['ethnicity', 'surname', surname, 'year', String(year)], passedOn) };
  }
}

/** @returns NaN for an invalid year */
function parsePath(parameters: ParameterReader, surname: string, text: string): number {
  const year = /^\d{4}$/.test(text) ? Number(text) : NaN;
  if (!(year >= FIRST_YEAR)) parameters.addPathFault('year', `must be a year from ${FIRST_YEAR} to ${LAST_YEAR}`);
  if (surname.length > MAX_NAME) parameters.addPathFault('surname', `must have at most ${MAX_NAME} characters`);
  return year;
}
