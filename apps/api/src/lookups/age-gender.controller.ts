import { Controller, HttpCode, Post, Redirect, Req, Res, Get, Param, Query } from '@nestjs/common';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { z } from 'zod';
import { type AgeBasis, type GroupedAges } from '@donorlens/demographics';
import { parseCivilDay } from '@donorlens/primitives';
import { type Release, ReleaseHolder } from '@donorlens/reference-data';
import { DonorAges } from '../batches/donor-ages';
import { BatchSubmission, type Submission } from '../batches/batch-submission';
import { batchSchema } from '../batches/batch-wire';
import { pinRelease } from '../http/request-hooks';
import { parseJson } from '../http/json-body';
import { preferredType } from '../http/media-types';
import { ParameterReader, type QueryParameters } from '../http/query-parameters';
import { Route } from '../http/route-policy';
import { sendPage } from '../http/send-page';
import { AGE_GENDER, AGE_GENDER_ANSWER } from '../schemas/examples';
import { AGE_BASIS, DETAIL, IDEMPOTENCY_KEY, MIN_AGE, PREFER, ageParameters, format } from '../schemas/parameters';
import { ageGenderQuery, ageGenderResult, bodyOf, ageGenderAnswer, MAX_NAME } from '../schemas/queries';
import {
  type AgeAnswer,
  ageAnswer,
  ageGenderResults,
  answersAsCsv,
  answerAsJson,
  detailedAgeGenderResults,
  scannedResults,
} from './age-gender-results';
import {
  lookupPath,
  isDotSegment,
  LookupPages,
  MAX_COMPARED_NAMES,
  type PageContext,
  pageContextOf,
} from './lookup-pages';
import {
  JSON_UTF8,
  BulkLimits,
  type LookupOptions,
  lookupOptions,
  readBulk,
  invalidBodyProblem,
  queriesOf,
} from './bulk-request';

const body = bodyOf(ageGenderQuery);

const TYPES = { html: 'text/html', json: 'application/json', svg: 'image/svg+xml', csv: 'text/csv' } as const;
type Format = keyof typeof TYPES;
const FORMATS = Object.keys(TYPES) as [Format, ...Format[]];

/** Parameter for additional names on the page. */
const COMPARE = 'compare';

const SVG_UTF8 = 'image/svg+xml; charset=utf-8';
const CSV_HEADERS = {
  'content-type': 'text/csv; charset=utf-8',
  'content-disposition': 'attachment; filename=results.csv',
} as const;

@Controller('enrich/v1/age_gender')
export class AgeGenderController {
  constructor(
    private readonly releases: ReleaseHolder,
    private readonly limits: BulkLimits,
    private readonly batches: BatchSubmission,
    private readonly pages: LookupPages,
    private readonly donorAges: DonorAges,
  ) {}

  @Post()
  @HttpCode(200)
  @Route({
    access: 'enrich:read',
    summary: 'Age and gender of many first names. results[i] answers queries[i].',
    query: [DETAIL, MIN_AGE, AGE_BASIS],
    headers: [PREFER, IDEMPOTENCY_KEY],
    body: { 'application/json': body },
    example: { 'application/json': AGE_GENDER },
    answers: {
      200: {
        description: 'One result per query, in the order of the queries; an unknown name has nulls.',
        content: { 'application/json': z.object({ results: z.array(ageGenderResult) }) },
        example: { 'application/json': AGE_GENDER_ANSWER },
      },
      202: { description: 'Accepted as a batch.', content: { 'application/json': batchSchema } },
    },
    problems: [
      'malformed-body',
      'body-too-large',
      'too-many-queries',
      'idempotency-in-flight',
      'idempotency-mismatch',
      'no-donor-ages',
      'quota-exceeded',
      'unavailable',
    ],
  })
  async bulk(@Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply): Promise<unknown> {
    const options = lookupOptions(request);
    const release = pinRelease(this.releases, reply);
    const text = await readBulk(request);
    void reply.header('content-type', JSON_UTF8);
    const isPlain = !options.detail && options.ageBasis !== 'donors' && request.headers.prefer === undefined;
    const scanned = isPlain ? await scannedResults(text, release, this.limits.maxQueries, options.minAge) : undefined;
    return scanned ?? this.answerParsedBody(parseJson(text), options, { request, reply, release, ...options });
  }

  @Get('name/:name/date/:date')
  @Route({
    access: 'enrich:read',
    page: true,
    summary: 'Gender and age distribution of one first name at a date, as a page; also as JSON, SVG and CSV.',
    query: [format(...FORMATS), DETAIL, MIN_AGE, AGE_BASIS],
    pageQuery: [COMPARE],
    answers: {
      200: {
        description: 'The page by default. JSON is the bulk result, with detail=true the distribution by birth year.',
        content: { 'text/html': null, 'application/json': ageGenderAnswer, 'image/svg+xml': null, 'text/csv': null },
      },
    },
    problems: ['no-donor-ages', 'unavailable'],
  })
  async show(
    @Param('name') name: string,
    @Param('date') date: string,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<string | Buffer> {
    const options = optionsOf(request, name, date);
    const release = pinRelease(this.releases, reply);
    const answer = ageAnswer(release, name, date, options.minAge, await this.donorsFor(options, release));
    const others = options.compare.map((other) => ageAnswer(release, other, date, options.minAge));
    void reply.header('vary', 'Accept');
    switch (options.format) {
      case 'html':
        return sendPage(request, reply, this.pageOf(answer, others, release, pageContextOf(request)));
      case 'json':
        void reply.header('content-type', 'application/json');
        return answerAsJson(answer, release, options.detail);
      case 'svg':
        void reply.headers({ 'content-type': SVG_UTF8, 'content-security-policy': this.pages.chartPolicy });
        return others.length === 0
          ? this.pages.ageChart(answer, release)
          : this.pages.namesChart([answer, ...others], release);
      case 'csv':
        void reply.headers(CSV_HEADERS);
        return answersAsCsv([answer, ...others]);
    }
  }

  private pageOf(answer: AgeAnswer, others: readonly AgeAnswer[], release: Release, reader: PageContext): string {
    if (others.length === 0) return this.pages.agePage(answer, release, reader);
    return this.pages.namesPage([answer, ...others], release, reader);
  }

  /** Redirects the form of the page, because a form cannot put its fields into a path. */
  @Get('ask')
  @Redirect('', 303)
  @Route({
    access: 'public',
    page: true,
    summary: 'Leads the form of the page to the address of its name and date.',
    query: [
      { name: 'name', description: 'Field of the form.', schema: z.string() },
      { name: 'date', description: 'Field of the form.', schema: z.string() },
      MIN_AGE,
    ],
    pageQuery: [COMPARE],
    answers: { 303: { description: 'To the page of the name and date.' } },
  })
  ask(@Query() query: QueryParameters): { url: string } {
    const parameters = new ParameterReader(query);
    const name = parameters.text('name') ?? ' ';
    const date = parameters.text('date') ?? '';
    if (isDotSegment(name)) parameters.addFault('name', 'must be a name');
    if (Number.isNaN(parseCivilDay(date))) parameters.addFault('date', 'must be a real date yyyy-mm-dd');
    const passedOn = {
      min_age: parameters.text('min_age'),
      apiKey: parameters.text('apiKey'),
      compare: parameters.values(COMPARE),
      ...(parameters.values(COMPARE).length > 0 && { format: 'html' }),
    };
    parameters.finish();
    return { url: lookupPath(['age_gender', 'name', name, 'date', date], passedOn) };
  }

  /** Ages of donors if `age_basis=donors`, otherwise null. @throws Problem 409 */
  private async donorsFor({ ageBasis }: LookupOptions, release: Release): Promise<GroupedAges | null> {
    return ageBasis === 'donors' ? this.donorAges.load(release) : null;
  }

  private async answerParsedBody(sent: unknown, options: LookupOptions, submission: Submission): Promise<unknown> {
    const queries = queriesOf(sent, body, submission.request);
    if (this.limits.isBatch(submission.request, queries))
      return this.batches.submitQueries('age_gender', queries, submission);
    this.limits.check(queries);
    const answer = options.detail ? detailedAgeGenderResults : ageGenderResults;
    const donors = await this.donorsFor(options, submission.release);
    const results = await answer(queries, submission.release, options.minAge, donors);
    if (results === undefined) throw invalidBodyProblem(sent, body);
    return results;
  }
}

interface PageOptions extends LookupOptions {
  readonly format: Format;
  /** additional names on the page */
  readonly compare: readonly string[];
}

/** @throws Problem 400 */
function optionsOf(request: FastifyRequest, name: string, date: string): PageOptions {
  const parameters = new ParameterReader(request.query as QueryParameters);
  if (name.length > MAX_NAME) parameters.addPathFault('name', `must have at most ${MAX_NAME} characters`);
  if (Number.isNaN(parseCivilDay(date))) parameters.addPathFault('date', 'must be a real date yyyy-mm-dd');
  const wished = parameters.oneOf('format', FORMATS);
  const { minAge = 0, ageBasis } = ageParameters(parameters);
  const detail = parameters.flag('detail');
  const used = wished ?? formatOf(request.headers.accept);
  const compare = comparedNames(parameters, name, used, ageBasis);
  parameters.finish();
  return { format: used, detail, minAge, ageBasis, compare };
}

/** Additional names without duplicates and without `name` itself. */
function comparedNames(parameters: ParameterReader, name: string, used: Format, ageBasis: AgeBasis): string[] {
  const given = parameters.values(COMPARE);
  const names = [...new Set(given.map((one) => one.trim()))].filter((one) => one !== '' && one !== name);
  if (names.length >= MAX_COMPARED_NAMES)
    parameters.addFault(COMPARE, `may have at most ${MAX_COMPARED_NAMES - 1} values`);
  if (names.some(({ length }) => length > MAX_NAME))
    parameters.addFault(COMPARE, `must have at most ${MAX_NAME} characters`);
  if (names.length > 0 && used === 'json')
    parameters.addFault(COMPARE, 'is for the page and its files: add format=html, svg or csv');
  if (names.length > 0 && ageBasis === 'donors')
    parameters.addFault(COMPARE, 'compares all people: leave out age_basis');
  return names;
}

function formatOf(accept: string | undefined): Format {
  const type = preferredType(accept, [TYPES.html, TYPES.json, TYPES.svg, TYPES.csv]);
  return FORMATS.find((one) => TYPES[one] === type) ?? 'html';
}
