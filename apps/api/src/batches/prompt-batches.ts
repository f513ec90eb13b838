import { Injectable, StreamableFile } from '@nestjs/common';
import { BatchResults, ResultsGoneError } from '@donorlens/batches';
import { type BatchType } from '@donorlens/primitives';
import { ReleaseHolder } from '@donorlens/reference-data';
import { BatchSubmission, type Submission } from './batch-submission';
import { BatchWait } from './batch-wait';
import { type BatchWire, batchUrl } from './batch-wire';
import { BatchWires } from './batch-wires';
import { unknownBatch } from './own-batch';

/** Queries that become a batch whose results their client would wait for. */
@Injectable()
export class PromptBatches {
  constructor(
    private readonly submission: BatchSubmission,
    private readonly wait: BatchWait,
    private readonly wires: BatchWires,
    private readonly results: BatchResults,
    private readonly releases: ReleaseHolder,
  ) {}

  /**
   * 200 and the results where the batch completes within the time, with all its addresses; else 202 and where to look,
   * at once where the geocoder is asked nothing within the time.
   * @throws Problem 403; 404 where the batch is deleted while its sender waits
   */
  async take(
    type: BatchType,
    queries: readonly unknown[],
    waitSeconds: number,
    submission: Submission,
  ): Promise<StreamableFile | BatchWire> {
    const { reply } = submission;
    const accepted = await this.submission.accept({ type, format: 'json' }, queries, submission);
    const seconds = (await this.wires.mayLocateWithin(waitSeconds)) ? waitSeconds : 0;
    const batch = await this.wait.ended(accepted.batch, seconds, reply);
    if (batch === null) throw unknownBatch();
    if (batch.state !== 'completed' || batch.addresses.pending > 0) {
      void reply.header('preference-applied', `respond-async, wait=${waitSeconds}`);
      return this.submission.answer({ ...accepted, batch }, reply);
    }
    const { counties } = await this.releases.get(batch.releaseId);
    const rows = await this.results
      .stream(batch, { format: 'json', countyOf: (fips) => counties.find(fips) })
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
