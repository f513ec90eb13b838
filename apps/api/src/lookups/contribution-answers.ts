import { Injectable } from '@nestjs/common';
import { AddressKeys } from '@donorlens/locations';
import { identityOf, requireScope } from '../access/access.hook';
import { type Submission } from '../batches/batch-submission';
import { PromptBatches } from '../batches/prompt-batches';
import { preferencesOf } from '../http/prefer';
import { AddressLookup } from './address-lookup';
import { JSON_UTF8 } from './bulk-answer';
import { contributionResults, enrichedQueries } from './contribution-results';
import { MOST_WAIT_SECONDS } from './parameters';

/** Answers contributions with what is known of their addresses now, or within the time that the client would wait. */
@Injectable()
export class ContributionAnswers {
  constructor(
    private readonly keys: AddressKeys,
    private readonly addresses: AddressLookup,
    private readonly batches: PromptBatches,
  ) {}

  /**
   * JSON text of the results, or what becomes of a batch. Where the database is away no batch can be made either, and
   * the preference is not followed.
   * @throws Problem 400 that names every bad query; 403 where the client would wait and has not the scope of batches
   */
  async of(queries: readonly unknown[], submission: Submission): Promise<unknown> {
    const { request, reply, release, minAge } = submission;
    const waitSeconds = Math.min(preferencesOf(request.headers.prefer).waitSeconds ?? 0, MOST_WAIT_SECONDS);
    if (waitSeconds > 0) requireScope(identityOf(request), 'enrich:batch');
    const items = await enrichedQueries(queries, release, minAge ?? 0, this.keys);
    const { locations, unknown, isAnswered } = await this.addresses.find(items);
    if (waitSeconds > 0 && isAnswered) {
      if (unknown.length > 0) return this.batches.take('contributions', queries, waitSeconds, submission);
      void reply.header('preference-applied', `wait=${waitSeconds}`);
    }
    if (isAnswered) await this.addresses.ask(unknown);
    void reply.header('content-type', JSON_UTF8);
    return contributionResults(queries, items, locations, (fips) => release.counties.find(fips));
  }
}
