import { setTimeout as pause } from 'node:timers/promises';
import { Processor, WorkerHost } from '@nestjs/bullmq';
import { Inject } from '@nestjs/common';
import { type Job } from 'bullmq';
import { CallRepository, type CallResults, type ClaimedCall, GeocoderError } from '@donorlens/geocoding';
import { LOGGER, type Logger } from '@donorlens/observability';
import { type CallRef, ErrorLog, QUEUES, WORKER_OPTIONS } from '@donorlens/queues';
import { JobAccounts, type JobRun, type JobTally } from '../job-accounts';
import { isWeather } from '../weather';
import { CallRun } from './call-run';
import { type CallTally, tallyOf } from './call-tally';
import { Line } from './line';
import { Settling } from './settling';

type GeocodeJob = Job<CallRef, CallTally | null, 'geocode-call'>;

/** How long a job stands in line for a slot or a token; after it others have theirs, and the aggregator adds the call again. */
export const LINE_MS = 10_000;
/** How long an answer waits for a database that is away: it may have taken minutes, and the lease outlives it. */
export const STORE_MS = 20_000;
const STORE_AGAIN_MS = 250;
const INTERNAL = { code: 'internal', retryAfterMs: null };

/**
 * Makes one call to the geocoder: claim, ask, commit.
 *
 * A crash before the commit leaves nothing behind but the lease, which ends after 30 s; the aggregator then adds the
 * call again. A crash after it leaves a job that finds nothing to claim. So a second run of a call that was made changes
 * nothing, and of two runs at once (a worker that froze and woke up) the one that still holds the lease commits: the
 * locations, the end of the addresses and everybody who waits for them are one transaction.
 *
 * Repeated work is bounded by the call. What an answer leaves out is asked again alone, a call of which nothing came is
 * tried again and then cut in halves, down to the one address that is at fault; a lease that ran out counts like a call
 * that failed. While the circuit is open none of this counts, and a worker that is stopped gives its calls back.
 */
@Processor(QUEUES.geocode, WORKER_OPTIONS)
export class GeocodeCallProcessor extends WorkerHost {
  private readonly errors: ErrorLog;
  private readonly line = new Line();
  private active = 0;

  constructor(
    private readonly calls: CallRepository,
    private readonly run: CallRun,
    private readonly settling: Settling,
    private readonly accounts: JobAccounts,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    super();
    this.errors = new ErrorLog(logger, 'geocoder');
  }

  /** @returns null where there was nothing to do here: done, another's, not its time, or broken off */
  async process(job: GeocodeJob): Promise<CallTally | null> {
    this.active++;
    const { callId } = job.data;
    try {
      return await this.accounts.of(QUEUES.geocode, job, { callId }, (run) => this.make(callId, run), countersOf);
    } finally {
      this.active--;
    }
  }

  /** Calls in work, or in line for it. */
  get inWork(): number {
    return this.active;
  }

  /** Calls in work are given back, and those in line leave it. */
  stop(): void {
    this.run.stop();
  }

  private async make(callId: string, run: JobRun): Promise<CallTally | null> {
    const call = (await this.settling.isReady()) ? await this.claimed(callId) : null;
    return call && (await this.finish(call, run));
  }

  private async claimed(callId: string): Promise<ClaimedCall | null> {
    const until = performance.now() + LINE_MS;
    while (!this.run.isStopped) {
      const claim = await this.calls.claim(callId);
      if (claim === null || 'call' in claim) return claim && claim.call;
      const isInLine = claim.why === 'slots' || claim.why === 'rate';
      if (!isInLine || claim.waitMs > LINE_MS) return null; // by its new job it may be its turn
      if (performance.now() + claim.waitMs > until) break;
      await this.line.stand(claim.waitMs);
    }
    await this.calls.leaveLine(callId);
    return null;
  }

  private async finish(call: ClaimedCall, run: JobRun): Promise<CallTally | null> {
    try {
      const results = await this.run.results(call);
      return results && (await this.store(call, results));
    } catch (error) {
      if (!this.run.isStopped) run.failed();
      await this.letGo(call, error);
      return null;
    }
  }

  private async store(call: ClaimedCall, results: CallResults): Promise<CallTally | null> {
    const isOurs = await this.patiently(() =>
      this.calls.commit(
        call,
        results,
        (client, located) => this.settling.settle(client, located),
        () => this.line.move(),
      ),
    );
    return isOurs ? tallyOf(results) : null;
  }

  /** A fault of our own counts like one of the geocoder's, for nothing else would end it. Without a database there is the lease. */
  private async letGo(call: ClaimedCall, error: unknown): Promise<void> {
    if (this.run.isStopped) return this.giveBack(call);
    const isTheirs = error instanceof GeocoderError;
    if (isTheirs) this.errors.report(error);
    if (isTheirs || !isWeather(error)) await this.patiently(() => this.calls.fail(call, isTheirs ? error : INTERNAL));
    if (!isTheirs) throw error;
  }

  private async giveBack(call: ClaimedCall): Promise<void> {
    await this.calls
      .giveBack(call)
      .catch((err: unknown) => this.logger.warn({ err, callId: call.id }, 'call left to its lease'));
  }

  /** Again and again while the database is away, for as long as there is time. */
  private async patiently<T>(work: () => Promise<T>): Promise<T> {
    const until = performance.now() + STORE_MS;
    for (;;)
      try {
        return await work();
      } catch (error) {
        if (!isWeather(error) || this.run.isStopped || performance.now() > until) throw error;
        await pause(STORE_AGAIN_MS);
      }
  }
}

/** By the names that counters have. */
const countersOf = ({ match, noMatch, tie, unanswered }: CallTally): JobTally => ({
  match,
  no_match: noMatch,
  tie,
  unanswered,
});
