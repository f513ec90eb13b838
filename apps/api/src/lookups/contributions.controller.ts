import { Controller, HttpCode, Inject, Post, Req, Res } from '@nestjs/common';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { z } from 'zod';
import { CONFIG, type Config } from '@donorlens/config';
import { AddressKeys } from '@donorlens/locations';
import { type CountyFinder } from '@donorlens/primitives';
import { ReleaseHolder } from '@donorlens/reference-data';
import { identityOf, requireScope } from '../access/access.hook';
import { BatchSubmission, type Submission } from '../batches/batch-submission';
import { batchSchema } from '../batches/batch-wire';
import { DonorAges, ageOfItem } from '../batches/donor-ages';
import { WaitedBatches } from '../batches/batch-wait';
import { pinRelease } from '../http/request-hooks';
import { checkShape, parseJson } from '../http/json-body';
import { preferencesOf, BulkLimits, lookupOptions, readBulk, queriesOf, JSON_UTF8 } from './bulk-request';
import { Route } from '../http/route-policy';
import { CONTRIBUTIONS, CONTRIBUTIONS_ANSWER } from '../schemas/examples';
import {
  AGE_BASIS,
  type AreaOptions,
  ETHNICITY_BASIS,
  GENDER_DETAIL,
  IDEMPOTENCY_KEY,
  MAX_WAIT_SECONDS,
  MIN_AGE,
  PREFER_GEOCODED,
  TRACT_INCOME,
  areaOptions,
  requestedAreas,
} from '../schemas/parameters';
import { bodyOf, contributionQuery, contributionResult } from '../schemas/queries';
import { AddressLookup } from './address-lookup';
import { contributionResults, enrichedQueries } from './contribution-results';

const body = bodyOf(contributionQuery);

@Controller('enrich/v1/contributions')
export class ContributionsController {
  constructor(
    private readonly releases: ReleaseHolder,
    private readonly limits: BulkLimits,
    private readonly batches: BatchSubmission,
    private readonly keys: AddressKeys,
    private readonly addresses: AddressLookup,
    private readonly waitedBatches: WaitedBatches,
    private readonly donorAges: DonorAges,
    @Inject(CONFIG) private readonly config: Pick<Config, 'ethnicityBasis'>,
  ) {}

  @Post()
  @HttpCode(200)
  @Route({
    access: 'enrich:read',
    summary: 'All fields of many contributions. results[i] answers queries[i].',
    query: [GENDER_DETAIL, MIN_AGE, AGE_BASIS, ETHNICITY_BASIS, TRACT_INCOME],
    headers: [PREFER_GEOCODED, IDEMPOTENCY_KEY],
    body: { 'application/json': body },
    example: { 'application/json': CONTRIBUTIONS },
    answers: {
      200: {
        description:
          'One result per query, in their order. An address that is not geocoded yet is PENDING and is queued: the same query has its county later.',
        content: { 'application/json': z.object({ results: z.array(contributionResult) }) },
        example: { 'application/json': CONTRIBUTIONS_ANSWER },
      },
      202: {
        description: 'Accepted as a batch. The Location header has its URL.',
        content: { 'application/json': batchSchema },
      },
    },
    problems: [
      'malformed-body',
      'body-too-large',
      'too-many-queries',
      'not-found',
      'idempotency-in-flight',
      'idempotency-mismatch',
      'no-donor-ages',
      'no-geography',
      'quota-exceeded',
      'unavailable',
    ],
  })
  async bulk(@Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply): Promise<unknown> {
    const { detail, minAge, ageBasis, ...areas } = lookupOptions(request, (parameters) =>
      areaOptions(parameters, this.config.ethnicityBasis),
    );
    const release = pinRelease(this.releases, reply);
    requestedAreas(release, areas);
    const sent = parseJson(await readBulk(request));
    const queries = queriesOf(sent, body, request);
    checkShape(sent);
    const submission = { request, reply, release, minAge, ageBasis, ethnicityBasis: areas.ethnicityBasis };
    if (this.limits.isBatch(request, queries)) return this.batches.submitQueries('contributions', queries, submission);
    this.limits.check(queries);
    return this.results(queries, submission, { detail, ...areas });
  }

  /**
   * JSON text of the results, or the batch if `Prefer: wait` needs one. Without the database the preference is ignored.
   * @throws Problem 400 that lists all invalid queries; 403 if the client prefers to wait without the scope of batches
   */
  private async results(
    queries: readonly unknown[],
    submission: Submission,
    options: AreaOptions & { readonly detail: boolean },
  ): Promise<unknown> {
    const { request, reply, release, minAge, ageBasis } = submission;
    const waitSeconds = Math.min(preferencesOf(request.headers.prefer).waitSeconds ?? 0, MAX_WAIT_SECONDS);
    if (waitSeconds > 0) requireScope(identityOf(request), 'enrich:batch');
    const items = await enrichedQueries(queries, release, minAge ?? 0, this.keys);
    if (ageBasis === 'donors') {
      const ages = await this.donorAges.load(release);
      for (const item of items) item.ageYears = ageOfItem(item, ages);
    }
    const { locations, unknown, isAnswered } = await this.addresses.find(items);
    if (waitSeconds > 0 && isAnswered) {
      if (unknown.length > 0)
        return this.waitedBatches.submitAndWait('contributions', queries, waitSeconds, submission, options.tractIncome);
      void reply.header('preference-applied', `wait=${waitSeconds}`);
    }
    if (isAnswered) await this.addresses.enqueue(unknown);
    void reply.header('content-type', JSON_UTF8);
    const { detail } = options;
    const countyOf: CountyFinder = (fips) => release.counties.find(fips);
    const tables = { countyOf, ...requestedAreas(release, options) };
    return contributionResults(queries, items, locations, tables, detail);
  }
}
