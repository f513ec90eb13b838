import { setTimeout as sleep } from 'node:timers/promises';
import { type BeforeApplicationShutdown, Injectable, StreamableFile } from '@nestjs/common';
import { type Batch, BatchRepository, BatchResults, ResultsGoneError, isFinal } from '@donorlens/batches';
import { type BatchType } from '@donorlens/primitives';
import { ReleaseHolder } from '@donorlens/reference-data';
import { type FastifyReply } from 'fastify';
import { areasOf } from './batch-areas';
import { BatchSubmission, type Submission } from './batch-submission';
import { type BatchWire, batchUrl } from './batch-wire';
import { BatchPresenter, unknownBatch } from './batch-presenter';

const POLL_MS = 200;
/** Maximum polls per second of all waiting requests together. If many requests wait, each polls less often. */
const MAX_POLLS_PER_SECOND = 100;

/** A completed batch with pending addresses is unfinished, because their results are still added. */
const isUnfinished = ({ state, addresses }: Batch): boolean =>
  !isFinal(state) || (state === 'completed' && addresses.pending > 0);

/** Requests that wait for their batch. The batch continues if a request ends first. */
@Injectable()
export class BatchWait implements BeforeApplicationShutdown {
  private readonly waiting = new Set<AbortController>();
  private closing = false;

  constructor(private readonly batches: BatchRepository) {}

  beforeApplicationShutdown(): void {
    this.closing = true;
    for (const one of this.waiting) one.abort();
  }

  /**
   * Waits until the batch has ended and no address is pending.
   * @returns the batch as last read if the timeout expires, the client disconnects or this process shuts down; null if
   *   the batch was deleted
   */
  async waitUntilEnded(batch: Batch, seconds: number, reply: FastifyReply): Promise<Batch | null> {
    const stop = new AbortController();
    const abort = (): void => stop.abort();
    const timer = setTimeout(abort, 1000 * seconds);
    reply.raw.once('close', abort);
    this.waiting.add(stop);
    if (this.closing || reply.raw.destroyed) abort();
    try {
      return await this.poll(batch, stop.signal);
    } finally {
      clearTimeout(timer);
      reply.raw.off('close', abort);
      this.waiting.delete(stop);
    }
  }

  private async poll(batch: Batch, stop: AbortSignal): Promise<Batch | null> {
    let newest: Batch | null = batch;
    while (newest !== null && isUnfinished(newest)) {
      const ms = Math.max(POLL_MS, (1000 * this.waiting.size) / MAX_POLLS_PER_SECOND);
      await sleep(ms, undefined, { signal: stop }).catch(() => undefined);
      if (stop.aborted) break;
      const seen: Batch = newest; // used while the database is unavailable
      newest = await this.batches.get(batch.apiKeyId, batch.id).catch(() => seen);
    }
    return newest;
  }
}

/** Runs queries as a batch because some need geocoding, while the client waits for the results. */
@Injectable()
export class WaitedBatches {
  constructor(
    private readonly submission: BatchSubmission,
    private readonly wait: BatchWait,
    private readonly presenter: BatchPresenter,
    private readonly results: BatchResults,
    private readonly releases: ReleaseHolder,
  ) {}

  /**
   * Answers 200 with the results if the batch completes with all its addresses within `waitSeconds`, otherwise 202 with
   * the URL of the batch. Answers 202 immediately if the geocoder will not be called within that time.
   * @throws Problem 403; 404 if the batch is deleted during the wait
   */
  async submitAndWait(
    type: BatchType,
    queries: readonly unknown[],
    waitSeconds: number,
    submission: Submission,
    tractIncome: boolean,
  ): Promise<StreamableFile | BatchWire> {
    const { reply } = submission;
    const accepted = await this.submission.accept({ type, format: 'json' }, queries, submission);
    const seconds = (await this.presenter.canGeocodeWithin(waitSeconds)) ? waitSeconds : 0;
    const batch = await this.wait.waitUntilEnded(accepted.batch, seconds, reply);
    if (batch === null) throw unknownBatch();
    if (batch.state !== 'completed' || batch.addresses.pending > 0) {
      void reply.header('preference-applied', `respond-async, wait=${waitSeconds}`);
      return this.submission.answer({ ...accepted, batch }, reply);
    }
    const release = await this.releases.get(batch.releaseId);
    const areas = areasOf(batch, release, tractIncome);
    const { counties, demographics } = release;
    const rows = await this.results
      .stream(batch, { format: 'json', areas, demographics, countyOf: (fips) => counties.find(fips) })
      .catch((error: unknown) => {
        throw error instanceof ResultsGoneError ? unknownBatch() : error;
      });
    if (accepted.replayed) void reply.header('idempotency-replayed', 'true');
    void reply.headers({
      'content-type': 'application/json',
      'content-location': `${batchUrl(batch.id)}/results?format=json`,
      'data-version': batch.releaseId,
      'preference-applied': `wait=${waitSeconds}`,
    });
    return new StreamableFile(rows);
  }
}
