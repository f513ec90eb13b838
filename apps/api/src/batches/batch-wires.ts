import { Inject, Injectable } from '@nestjs/common';
import { type Batch, isOpen } from '@donorlens/batches';
import { CONFIG, type Config } from '@donorlens/config';
import { PG_POOL } from '@donorlens/database';
import { readGeocoderStatus } from '@donorlens/locations';
import { type Pool } from 'pg';
import { inTime } from '../lookups/in-time';
import { type BatchWire, batchWire } from './batch-wire';

/** The geocoder's status is the same for all who look, and some look every second. */
const KEPT_MS = 2_000;
/** Nobody waits longer for it: where the database is slow, the reason of a moment ago has to do. */
const LATE_MS = 500;
/** That is no moment any more. */
const OLD_MS = 30_000;

/** Batches as clients see them, with the reason why their addresses wait. */
@Injectable()
export class BatchWires {
  private reason: string | null = null;
  private readAt = -Infinity;
  /** At most one in this process. */
  private reading: Promise<void> | null = null;

  constructor(
    @Inject(PG_POOL) private readonly pool: Pool,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  async of(batch: Batch): Promise<BatchWire> {
    return batchWire(batch, new Date(), isWaiting(batch) ? await this.currentReason() : null);
  }

  all(batches: readonly Batch[]): Promise<BatchWire[]> {
    return Promise.all(batches.map((batch) => this.of(batch)));
  }

  /** A batch can be shown without it: null where it cannot be read. */
  private async currentReason(): Promise<string | null> {
    if (performance.now() - this.readAt > KEPT_MS) {
      this.reading ??= this.read();
      await inTime(this.reading, LATE_MS);
    }
    return performance.now() - this.readAt > OLD_MS ? null : this.reason;
  }

  private async read(): Promise<void> {
    const limits = { callsPerMinute: this.config.geocoder.callsPerMinute };
    const status = await readGeocoderStatus(this.pool, limits).catch(() => null);
    this.reason = status?.reason ?? null;
    this.readAt = performance.now();
    this.reading = null;
  }
}

/** Nobody looks for addresses of a batch that was cancelled, has failed or expired. */
const isWaiting = ({ state, addresses }: Batch): boolean =>
  addresses.pending > 0 && (isOpen(state) || state === 'completed');
