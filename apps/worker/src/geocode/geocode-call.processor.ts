import { setTimeout as pause } from 'node:timers/promises';
import { Processor, WorkerHost } from '@nestjs/bullmq';
import { Inject } from '@nestjs/common';
import { type Job } from 'bullmq';
import { CallRepository, type CallResults, type ClaimedCall, GeocoderError } from '@donorlens/geocoding';
import { LOGGER, type Logger } from '@donorlens/observability';
import { type CallRef, ErrorLog, QUEUES, WORKER_OPTIONS } from '@donorlens/queues';
import { JobRecorder, type JobReport, type ItemCounts } from '../job-recorder';
import { isTransientError } from '../chunk-fault';
import { AddressOutcomes } from './address-outcomes';
import { CallRun, SlotSignal } from './call-run';

type GeocodeJob = Job<CallRef, CallCounts | null, 'geocode-call'>;

/** How long a job waits for a slot or a token. Then the aggregator adds the call again, and other jobs can run. */
export const MAX_SLOT_WAIT_MS = 10_000;
/** How long storing an answer is retried while the database is unavailable. The lease of the call is longer. */
export const STORE_MS = 20_000;
const STORE_RETRY_MS = 250;

/** Addresses of one call by outcome. */
export interface CallCounts {
  readonly match: number;
  readonly noMatch: number;
  readonly tie: number;
  /** These addresses are requested again in a later call. */
  readonly unanswered: number;
}

const INTERNAL = { code: 'internal', retryAfterMs: null };

/**
 * Makes one call to the geocoder: claim, request, commit.
 *
 * A crash before the commit leaves only the lease, which expires after 30 s; the aggregator then adds the call again. A
 * crash after the commit leaves a job that finds nothing to claim. So a second run of a finished call changes nothing.
 * Of two concurrent runs (one worker froze and resumed), the run commits that still holds the lease. One transaction
 * stores the locations, deletes the pending addresses and updates all rows that wait for them.
 *
 * The call bounds the repeated work. Addresses that an answer omits are requested again in separate calls. A call
 * without a usable answer is retried and then split in halves, down to the address that causes the error. An expired
 * lease counts as a failed call. While the circuit is open, no failure counts. A stopping worker releases its calls.
 */
@Processor(QUEUES.geocode, WORKER_OPTIONS)
export class GeocodeCallProcessor extends WorkerHost {
  private readonly errors: ErrorLog;
  private readonly slots = new SlotSignal();
  private active = 0;

  constructor(
    private readonly calls: CallRepository,
    private readonly run: CallRun,
    private readonly outcomes: AddressOutcomes,
    private readonly recorder: JobRecorder,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    super();
    this.errors = new ErrorLog(logger, 'geocoder');
  }

  /** @returns null if there is nothing to do: done, leased to another worker, not due, or aborted */
  async process(job: GeocodeJob): Promise<CallCounts | null> {
    this.active++;
    const { callId } = job.data;
    try {
      return await this.recorder.run(QUEUES.geocode, job, (run) => this.make(callId, run), countersOf);
    } finally {
      this.active--;
    }
  }

  /** Number of active calls and of calls that wait for a slot. */
  get inWork(): number {
    return this.active;
  }

  /** Releases active calls, and stops waiting for slots. */
  stop(): void {
    this.run.stop();
  }

  private async make(callId: string, run: JobReport): Promise<CallCounts | null> {
    if (!(await this.outcomes.isReady())) {
      this.errors.report(
        new Error(
          'this worker has no data release, calls to the geocoder wait: check that an aggregator runs, and read its log',
        ),
      );
      return null;
    }
    const call = await this.claimed(callId);
    return call && (await this.finish(call, run));
  }

  private async claimed(callId: string): Promise<ClaimedCall | null> {
    const until = performance.now() + MAX_SLOT_WAIT_MS;
    while (!this.run.isStopped) {
      const claim = await this.calls.claim(callId);
      if (claim === null || 'call' in claim) return claim && claim.call;
      const isSlotWait = claim.why === 'slots' || claim.why === 'rate';
      if (!isSlotWait || claim.waitMs > MAX_SLOT_WAIT_MS) return null; // the aggregator adds it again when it is due
      if (performance.now() + claim.waitMs > until) break;
      await this.slots.wait(claim.waitMs);
    }
    await this.calls.dequeue(callId);
    return null;
  }

  private async finish(call: ClaimedCall, run: JobReport): Promise<CallCounts | null> {
    try {
      const results = await this.run.results(call);
      return results && (await this.store(call, results));
    } catch (error) {
      if (!this.run.isStopped) run.failed();
      await this.handleFailure(call, error);
      return null;
    }
  }

  private async store(call: ClaimedCall, results: CallResults): Promise<CallCounts | null> {
    const isOurs = await this.withRetry(() =>
      this.calls.commit(
        call,
        results,
        (client, geocoded) => this.outcomes.apply(client, geocoded),
        () => this.slots.slotFreed(),
      ),
    );
    return isOurs ? countsOf(results) : null;
  }

  /** Counts an internal error like one of the geocoder, to limit retries. Without a database the lease expires. */
  private async handleFailure(call: ClaimedCall, error: unknown): Promise<void> {
    if (this.run.isStopped) return this.releaseLease(call);
    const isGeocoderError = error instanceof GeocoderError;
    if (isGeocoderError) this.errors.report(error);
    if (isGeocoderError || !isTransientError(error))
      await this.withRetry(() => this.calls.fail(call, isGeocoderError ? error : INTERNAL));
    if (!isGeocoderError) throw error;
  }

  private async releaseLease(call: ClaimedCall): Promise<void> {
    await this.calls
      .releaseLease(call)
      .catch((err: unknown) =>
        this.logger.warn({ err, callId: call.id }, 'call not released, it is free when its lease expires'),
      );
  }

  /** Retries while the database is unavailable, for at most STORE_MS. */
  private async withRetry<T>(work: () => Promise<T>): Promise<T> {
    const until = performance.now() + STORE_MS;
    for (;;)
      try {
        return await work();
      } catch (error) {
        if (!isTransientError(error) || this.run.isStopped || performance.now() > until) throw error;
        await pause(STORE_RETRY_MS);
      }
  }
}

/** Converts the counts to the names of the job counters. */
const countersOf = ({ match, noMatch, tie, unanswered }: CallCounts): ItemCounts => ({
  match,
  no_match: noMatch,
  tie,
  unanswered,
});

function countsOf({ geocoded, ties, unanswered }: CallResults): CallCounts {
  const count = (outcome: string): number => geocoded.filter((location) => location.outcome === outcome).length;
  return {
    match: count('MATCH'),
    noMatch: count('NO_MATCH'),
    tie: count('TIE') + ties.length,
    unanswered: unanswered.size,
  };
}
