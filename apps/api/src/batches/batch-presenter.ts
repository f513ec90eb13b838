import { Inject, Injectable } from '@nestjs/common';
import { type Batch, type BatchRepository, isOpen, GeocodingRate, geocodingTimeoutAt } from '@donorlens/batches';
import { CONFIG, type Config } from '@donorlens/config';
import { PG_POOL } from '@donorlens/database';
import { type GeocoderActivity, type GeocoderStatus, readGeocoderStatus } from '@donorlens/locations';
import { StaleCache, OperationsWatch, type QueueStatus } from '@donorlens/operations';
import { countedRows, withTimeout } from '@donorlens/primitives';
import { type FastifyRequest } from 'fastify';
import { type Pool } from 'pg';
import { identityOf } from '../access/access.hook';
import { Problem } from '../http/problem';
import { type BatchWire, batchWire } from './batch-wire';

/** Cache time of the geocoder status, which is the same for all clients. Some clients poll every second. */
const GEOCODER_CACHE_MS = 2_000;
/** Maximum time that a request waits for a status. If the database is slower, the request uses the previous status. */
const MAX_WAIT_MS = 500;
/** The api does not use an older status. */
const MAX_STATUS_AGE_MS = 30_000;

/** Cache time of the queue status, which is shared by all batches. */
const QUEUE_CACHE_MS = 5_000;
/** A younger batch is assumed to be in progress, regardless of the state of the queue. */
const MIN_AGE_MS = 5_000;

/** Explains to the client why the rows of a batch are not enriched if the queue has stopped. */
@Injectable()
export class QueueReason {
  private readonly queue: StaleCache<QueueStatus | null>;

  constructor(watch: OperationsWatch) {
    this.queue = new StaleCache(async () => {
      const { status, issue } = await watch.read();
      return issue ? null : (status?.queues.find(({ queue }) => queue === 'enrich') ?? null);
    }, QUEUE_CACHE_MS);
  }

  /** Null if the rows are being enriched or are done, or if the state of the queue is unknown. */
  async find(batch: Pick<Batch, 'state' | 'counts' | 'rowsTotal' | 'createdAt'>, now: Date): Promise<string | null> {
    const ageMs = now.getTime() - batch.createdAt.getTime();
    const isYoung = ageMs < MIN_AGE_MS && ageMs >= -MIN_AGE_MS; // the clock may have been set back
    if (isYoung || !isOpen(batch.state) || countedRows(batch.counts) === batch.rowsTotal) return null;
    const { value: queue } = await this.queue.get(MAX_WAIT_MS);
    return queue && queue.stallReason !== null ? queueReason(queue) : null;
  }
}

function queueReason({ pausedAt, isPauseApplied, workers, jobs }: QueueStatus): string | null {
  if (pausedAt !== null && !isPauseApplied) return null; // workers take jobs until the pause is applied
  if (pausedAt !== null)
    return `processing has been paused since ${timeText(pausedAt)} UTC; it continues when an operator resumes it`;
  if (workers === 0) return 'no worker is running; processing continues when one starts';
  if (jobs === null) return 'the queue does not respond; processing continues when it does';
  return 'the queue has stopped; an operator can see the reason';
}

/** Batches as clients see them, with the reason why their rows or addresses wait and the geocoding rate. */
@Injectable()
export class BatchPresenter {
  private readonly rate = new GeocodingRate();
  private status: GeocoderStatus | null = null;
  private readAt = -Infinity;
  /** The current read; null if there is none. A process runs at most one read at a time. */
  private reading: Promise<void> | null = null;

  constructor(
    @Inject(PG_POOL) private readonly pool: Pool,
    @Inject(CONFIG) private readonly config: Config,
    private readonly queue: QueueReason,
  ) {}

  async present(batch: Batch): Promise<BatchWire> {
    const status = isWaiting(batch) ? await this.currentStatus() : null;
    const now = new Date();
    const stallReason = await this.queue.find(batch, now);
    const reasons = [
      stallReason,
      status && geocoderReason(batch, status, this.config.geocoder.batchTimeoutSeconds),
    ].filter((reason) => reason !== null);
    const waitsFor = reasons.length > 0 ? reasons.join('; ') : null;
    const geocodedPerSecond = this.rate.rowsPerSecond(batch);
    return batchWire(batch, now, { waitsFor, isStalled: stallReason !== null, geocodedPerSecond });
  }

  all(batches: readonly Batch[]): Promise<BatchWire[]> {
    return Promise.all(batches.map((batch) => this.present(batch)));
  }

  /** False if the geocoder will certainly not be called within this time. */
  async canGeocodeWithin(seconds: number): Promise<boolean> {
    const status = await this.currentStatus();
    if (status === null) return true;
    const { activity, closedUntil } = status;
    return activity !== 'refused' && (closedUntil === null || closedUntil.getTime() <= Date.now() + 1000 * seconds);
  }

  /** The geocoder status; null if it cannot be read. A batch can be shown without it. */
  private async currentStatus(): Promise<GeocoderStatus | null> {
    if (performance.now() - this.readAt > GEOCODER_CACHE_MS) {
      this.reading ??= this.read();
      const { reading } = this;
      await withTimeout(MAX_WAIT_MS, () => reading).catch(() => undefined);
    }
    return performance.now() - this.readAt > MAX_STATUS_AGE_MS ? null : this.status;
  }

  private async read(): Promise<void> {
    const limits = { callsPerMinute: this.config.geocoder.callsPerMinute };
    this.status = await readGeocoderStatus(this.pool, limits).catch(() => null);
    this.readAt = performance.now();
    this.reading = null;
  }
}

/** If the geocoder does not answer, the text includes the time until which the batch waits. */
function geocoderReason(batch: Batch, status: GeocoderStatus, batchTimeoutSeconds: number): string | null {
  const { reason, activity, lastAnswerAt, lastError } = status;
  const isUnanswered = lastAnswerAt === null ? lastError !== null : !ANSWERING.has(activity);
  const until = isUnanswered ? geocodingTimeoutAt(batch, batchTimeoutSeconds, lastAnswerAt !== null) : null;
  if (reason === null || until === null) return reason;
  return `${reason}; without an answer, the batch completes without its addresses soon after ${timeText(until)} UTC`;
}

/** `2026-03-04 12:15:05` */
const timeText = (time: Date): string => time.toISOString().slice(0, 19).replace('T', ' ');
const ANSWERING: ReadonlySet<GeocoderActivity> = new Set(['sending', 'nothing', 'errors']);

/** Pending addresses of a cancelled, failed or expired batch no longer count as waiting. */
const isWaiting = ({ state, addresses }: Batch): boolean =>
  addresses.pending > 0 && (isOpen(state) || state === 'completed');

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** The same error for a missing batch and for a batch of another API key. */
export const unknownBatch = (): Problem => new Problem('not-found', 'This key has no such batch.');

/**
 * Returns the batch with this id if it belongs to the API key of the request.
 * @throws Problem 404
 */
export async function ownBatch(
  batches: BatchRepository,
  request: FastifyRequest,
  id: string,
): Promise<{ batch: Batch; owner: string }> {
  const owner = identityOf(request).id;
  const batch = UUID.test(id) ? await batches.get(owner, id) : null;
  if (batch === null) throw unknownBatch();
  return { batch, owner };
}
