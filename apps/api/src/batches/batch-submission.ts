import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import {
  type AcceptedBatch,
  type Batch,
  BatchIntake,
  BatchResults,
  IntakeError,
  type IntakeRequest,
} from '@donorlens/batches';
import { CONFIG, type Config } from '@donorlens/config';
import { type AgeBasis } from '@donorlens/demographics';
import { type BatchType, type EthnicityOption } from '@donorlens/primitives';
import { type Release } from '@donorlens/reference-data';
import { WebhookUrlError, checkWebhookUrl } from '@donorlens/webhooks';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { identityOf, requireScope } from '../access/access.hook';
import { requestedAreas } from '../schemas/parameters';
import { type QueryParameters } from '../http/query-parameters';
import { drain } from '../http/request-body';
import { invalidRequest } from '../http/problem';
import { type BatchWire, batchUrl } from './batch-wire';
import { uploadOptions } from './batch-upload';
import { BatchPresenter } from './batch-presenter';
import { DonorAges } from './donor-ages';

const MAX_IDEMPOTENCY_KEY = 200;

/** A duplicate form waits up to ten seconds until the first one is accepted. */
const DUPLICATE_POLLS = 50;
const DUPLICATE_POLL_MS = 200;

const formKey = (token: string): string => `form.${token}`;

export interface Submission {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly release: Release;
  readonly minAge: number | undefined;
  /** Default: `name`. */
  readonly ageBasis?: AgeBasis;
  /** Default: the setting of the operator. */
  readonly ethnicityBasis?: EthnicityOption | undefined;
  /** Idempotency key of a form, because forms cannot send the header. */
  readonly formToken?: string;
}

/** A submission without options: they come from the query and the repeated batch. */
export type RepeatSubmission = Omit<Submission, 'minAge' | 'ageBasis' | 'ethnicityBasis'>;

type Input = Pick<IntakeRequest, 'type' | 'format' | 'sheet' | 'mapping' | 'webhookUrl' | 'name'>;

/** Passes the input of a client to the intake and answers 202 with the URL of the batch. */
@Injectable()
export class BatchSubmission {
  constructor(
    private readonly intake: BatchIntake,
    private readonly presenter: BatchPresenter,
    private readonly results: BatchResults,
    private readonly donorAges: DonorAges,
    @Inject(CONFIG) private readonly config: Pick<Config, 'webhookAllowedHosts' | 'ethnicityBasis'>,
  ) {}

  /** Accepts the queries of a bulk endpoint with `Prefer: respond-async` as a batch. */
  async submitQueries(type: BatchType, queries: readonly unknown[], submission: Submission): Promise<BatchWire> {
    void submission.reply.header('preference-applied', 'respond-async');
    return this.submit({ type, format: 'json' }, queries, submission);
  }

  async submit(input: Input, source: Readable | readonly unknown[], submission: Submission): Promise<BatchWire> {
    return this.answer(await this.accept(input, source, submission), submission.reply);
  }

  /**
   * Stores the input as a batch.
   * @throws Problem 403, 409; IntakeError
   */
  async accept(input: Input, source: Readable | readonly unknown[], submission: Submission): Promise<AcceptedBatch> {
    const signal = abortSignalOf(submission.request);
    const request = await this.intakeRequest(input, submission);
    return this.intake.accept(request, source, signal).finally(() => source instanceof Readable && drain(source));
  }

  /**
   * Stores the rows of a completed batch as another batch. Options that the query lacks are taken from the first batch.
   * @throws Problem 400, 403; IntakeError, ResultsNotReadyError, ResultsGoneError
   */
  async repeat(batch: Batch, given: QueryParameters, submission: RepeatSubmission): Promise<AcceptedBatch> {
    const own = ownOptions(batch, given);
    const { type = batch.type, mapping, ...options } = uploadOptions({ ...own, ...given, type: own.type });
    const format = batch.itemFormat === 'csv' ? 'csv' : 'json';
    const webhookUrl = submission.request.headers['webhook-url']?.toString();
    const input = { type, format, mapping, name: batch.name, webhookUrl } as const;
    const { minAge, ageBasis, ethnicityBasis } = options;
    const request = await this.intakeRequest(input, { ...submission, minAge, ageBasis, ethnicityBasis });
    return this.intake.repeat(request, { batch, records: () => this.results.items(batch) });
  }

  private async intakeRequest(
    input: Input,
    { request, release, minAge, ageBasis, ethnicityBasis, formToken }: Submission,
  ): Promise<IntakeRequest> {
    const identity = identityOf(request);
    requireScope(identity, 'enrich:batch');
    const basis = ethnicityBasisOf(input.type, ethnicityBasis, this.config.ethnicityBasis);
    requestedAreas(release, { ethnicityBasis: basis, tractIncome: false });
    return {
      ...input,
      webhookUrl: input.webhookUrl ? this.checkedUrl(input.webhookUrl, request) : null,
      apiKeyId: identity.id,
      releaseId: release.id,
      idempotencyKey: formToken === undefined ? idempotencyKeyOf(request) : formKey(formToken),
      minAge: minAge ?? null,
      ageBasis: ageBasis === 'donors' || ageBasis === 'group' ? ageBasis : null,
      donorAges: ageBasis === 'donors' ? await this.donorAges.groups() : null,
      ethnicityBasis: basis,
      batchRowsPerDay: identity.batchRowsPerDay,
    };
  }

  /**
   * Stores the input of a form. A form that a double click sends twice becomes one batch, and both responses name it.
   * @param submission - includes the token of the form
   */
  async acceptForm(
    input: Input,
    source: Readable | readonly unknown[],
    submission: Submission & { readonly formToken: string },
  ): Promise<AcceptedBatch> {
    return this.runOnce(submission, () => this.accept(input, source, submission));
  }

  /** Like `repeat`, for a batch that a form repeats. */
  repeatForm(
    batch: Batch,
    given: QueryParameters,
    submission: RepeatSubmission & { readonly formToken: string },
  ): Promise<AcceptedBatch> {
    return this.runOnce(submission, () => this.repeat(batch, given, submission));
  }

  private async runOnce(
    { request, formToken }: Pick<Submission, 'request'> & { readonly formToken: string },
    work: () => Promise<AcceptedBatch>,
  ): Promise<AcceptedBatch> {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof IntakeError) || error.code !== 'idempotency_in_flight') throw error;
      const batch = await this.batchOfDuplicate(identityOf(request).id, formKey(formToken));
      if (batch === null) throw error;
      return { batch, replayed: true };
    }
  }

  private async batchOfDuplicate(owner: string, key: string): Promise<Batch | null> {
    for (let poll = 0; poll < DUPLICATE_POLLS; poll++) {
      const batch = await this.intake.findByIdempotencyKey(owner, key);
      if (batch !== null) return batch;
      await sleep(DUPLICATE_POLL_MS);
    }
    return null;
  }

  /** @throws Problem 400 */
  private checkedUrl(url: string, { headers }: FastifyRequest): string {
    try {
      return checkWebhookUrl(url, this.config.webhookAllowedHosts);
    } catch (error) {
      if (!(error instanceof WebhookUrlError)) throw error;
      const pointer = headers['webhook-url'] === undefined ? '/webhook_url' : '/header/Webhook-Url';
      throw invalidRequest([{ pointer, detail: error.message }]);
    }
  }

  /** Answers 202 with the URL and the progress of the batch. */
  answer({ batch, replayed }: AcceptedBatch, reply: FastifyReply): Promise<BatchWire> {
    void reply.code(202).headers({ location: batchUrl(batch.id), 'retry-after': '1' });
    if (replayed) void reply.header('idempotency-replayed', 'true');
    return this.presenter.present(batch);
  }
}

/** Options of a batch as query parameters. Minimum age and age basis depend on each other: giving one replaces both. */
function ownOptions(batch: Batch, given: QueryParameters): QueryParameters {
  const ages =
    given.min_age === undefined && given.age_basis === undefined
      ? { age_basis: batch.ageBasis, min_age: batch.minAge?.toString() ?? '' }
      : {};
  const type = given.type || batch.type; // blank in a form
  return { type, ...ages, ...(type === 'contributions' && { ethnicity_basis: batch.ethnicityBasis }) };
}

/** The ethnicity basis of a batch. Only contributions have a place; `uploadOptions` rejects it for other types. */
export const ethnicityBasisOf = (
  type: BatchType,
  given: EthnicityOption | undefined,
  setting: EthnicityOption,
): EthnicityOption => (type === 'contributions' ? (given ?? setting) : 'surname');

function idempotencyKeyOf(request: FastifyRequest): string | null {
  const key = request.headers['idempotency-key'];
  if (key === undefined) return null;
  if (typeof key === 'string' && key.length > 0 && key.length <= MAX_IDEMPOTENCY_KEY) return key;
  throw invalidRequest([
    { pointer: '/header/Idempotency-Key', detail: `must have 1 to ${MAX_IDEMPOTENCY_KEY} characters` },
  ]);
}

/** Aborts if the client disconnects before it has sent everything. */
function abortSignalOf(request: FastifyRequest): AbortSignal {
  const controller = new AbortController();
  request.raw.once('close', () => {
    if (!request.raw.complete) controller.abort();
  });
  return controller.signal;
}
