import { Inject, Injectable } from '@nestjs/common';
import { type Batch, isOpen, LocatingPace, waitsInVainUntil } from '@donorlens/batches';
import { CONFIG, type Config } from '@donorlens/config';
import { PG_POOL } from '@donorlens/database';
import { type GeocoderActivity, type GeocoderStatus, readGeocoderStatus } from '@donorlens/locations';
import { type Pool } from 'pg';
import { inTime } from '../lookups/in-time';
import { type BatchWire, batchWire } from './batch-wire';
import { QueueReason } from './queue-reason';

/** The geocoder's status is the same for all who look, and some look every second. */
const KEPT_MS = 2_000;
/** Nobody waits longer for it: where the database is slow, the reason of a moment ago has to do. */
const LATE_MS = 500;
/** That is no moment any more. */
const OLD_MS = 30_000;

/** Batches as clients see them, with the reason why their rows or addresses wait and how fast they are located. */
@Injectable()
export class BatchWires {
  private readonly pace = new LocatingPace();
  private status: GeocoderStatus | null = null;
  private readAt = -Infinity;
  /** At most one in this process. */
  private reading: Promise<void> | null = null;

  constructor(
    @Inject(PG_POOL) private readonly pool: Pool,
    @Inject(CONFIG) private readonly config: Config,
    private readonly queue: QueueReason,
  ) {}

  async of(batch: Batch): Promise<BatchWire> {
    const status = isWaiting(batch) ? await this.currentStatus() : null;
    const now = new Date();
    const reasons = [
      await this.queue.of(batch, now),
      status && reasonOf(batch, status, this.config.geocoder.patienceSeconds),
    ].filter((reason) => reason !== null);
    const waitsFor = reasons.length > 0 ? reasons.join('; ') : null;
    return batchWire(batch, now, { waitsFor, locatedPerSecond: this.pace.of(batch, now) });
  }

  all(batches: readonly Batch[]): Promise<BatchWire[]> {
    return Promise.all(batches.map((batch) => this.of(batch)));
  }

  /** False where the geocoder is certainly asked nothing within that time. */
  async mayLocateWithin(seconds: number): Promise<boolean> {
    const status = await this.currentStatus();
    if (status === null) return true;
    const { activity, closedUntil } = status;
    return activity !== 'refused' && (closedUntil === null || closedUntil.getTime() <= Date.now() + 1000 * seconds);
  }

  /** A batch can be shown without it: null where it cannot be read. */
  private async currentStatus(): Promise<GeocoderStatus | null> {
    if (performance.now() - this.readAt > KEPT_MS) {
      this.reading ??= this.read();
      await inTime(this.reading, LATE_MS);
    }
    return performance.now() - this.readAt > OLD_MS ? null : this.status;
  }

  private async read(): Promise<void> {
    const limits = { callsPerMinute: this.config.geocoder.callsPerMinute };
    this.status = await readGeocoderStatus(this.pool, limits).catch(() => null);
    this.readAt = performance.now();
    this.reading = null;
  }
}

/** Where the geocoder says nothing, also how long the batch waits for it: a moment of the day, for the words to stay the same. */
function reasonOf(batch: Batch, status: GeocoderStatus, patienceSeconds: number): string | null {
  const { reason, activity, lastAnswerAt, lastError } = status;
  const isInVain = lastAnswerAt === null ? lastError !== null : !ANSWERING.has(activity);
  const until = isInVain ? waitsInVainUntil(batch, patienceSeconds, lastAnswerAt !== null) : null;
  if (reason === null || until === null) return reason;
  return `${reason}; unless some come, the batch completes without them soon after ${until.toISOString().slice(11, 19)} UTC`;
}
const ANSWERING: ReadonlySet<GeocoderActivity> = new Set(['sending', 'nothing', 'errors']);

/** Nobody looks for addresses of a batch that was cancelled, has failed or expired. */
const isWaiting = ({ state, addresses }: Batch): boolean =>
  addresses.pending > 0 && (isOpen(state) || state === 'completed');
