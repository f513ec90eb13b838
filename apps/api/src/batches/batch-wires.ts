import { Inject, Injectable } from '@nestjs/common';
import { type Batch } from '@donorlens/batches';
import { CONFIG, type Config } from '@donorlens/config';
import { PG_POOL } from '@donorlens/database';
import { readGeocoderStatus } from '@donorlens/locations';
import { type Pool } from 'pg';
import { type BatchWire, batchWire } from './batch-wire';

/** The geocoder's status is the same for all who look, and some look every second. */
const KEPT_MS = 2_000;

/** Batches as clients see them, with the reason why their addresses wait. */
@Injectable()
export class BatchWires {
  private reason: Promise<string | null> = Promise.resolve(null);
  private readUntil = -Infinity;

  constructor(
    @Inject(PG_POOL) private readonly pool: Pool,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  async of(batch: Batch): Promise<BatchWire> {
    return batchWire(batch, new Date(), await this.waitsFor(batch));
  }

  all(batches: readonly Batch[]): Promise<BatchWire[]> {
    return Promise.all(batches.map((batch) => this.of(batch)));
  }

  private waitsFor({ addresses }: Batch): Promise<string | null> {
    if (addresses.pending === 0) return Promise.resolve(null);
    const now = performance.now();
    if (now > this.readUntil) {
      this.readUntil = now + KEPT_MS;
      this.reason = this.read().catch(() => null); // a batch can be shown without it
    }
    return this.reason;
  }

  private async read(): Promise<string | null> {
    const status = await readGeocoderStatus(this.pool, { callsPerMinute: this.config.geocoder.callsPerMinute });
    return status.reason;
  }
}
