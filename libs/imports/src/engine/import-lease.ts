import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { type Pool } from 'pg';
import { type Fence, LeaseRepository, StaleFenceError } from '@donorlens/database';
import { type Logger } from '@donorlens/observability';
import { ImportBusyError } from '../import-error';

export const IMPORT_LEASE = 'fec-import';
const RENEW_MS = 5_000;
const RETRY_MS = 250;

/**
 * Lease of imports: one holder at a time among all processes, renewed in the background. Every transaction
 * that changes rows or the position checks the fencing token (epoch). So a process that was frozen and has lost its lease
 * cannot write. Reports, records of failed master imports and the index build of a snapshot do not check it.
 */
export class ImportLease {
  private readonly lost = new AbortController();
  private readonly timer: NodeJS.Timeout;
  private renewal: Promise<void> = Promise.resolve();

  private constructor(
    private readonly leases: LeaseRepository,
    private readonly logger: Logger,
    private readonly epoch: string,
  ) {
    this.timer = setInterval(() => {
      this.renewal = this.renew();
    }, RENEW_MS);
  }

  /**
   * @param waitMs - how long to try; the lease of a process that crashed expires after LEASE_SECONDS
   * @throws ImportBusyError
   */
  static async take(pool: Pool, logger: Logger, { waitMs = 0 } = {}): Promise<ImportLease> {
    const leases = new LeaseRepository(pool);
    const holder = `${hostname()}.${process.pid}.${randomUUID().slice(0, 8)}`;
    const until = performance.now() + waitMs;
    for (;;) {
      const epoch = await leases.acquire(IMPORT_LEASE, holder);
      if (epoch !== null) return new ImportLease(leases, logger, epoch);
      if (performance.now() >= until) throw new ImportBusyError();
      await pause(RETRY_MS);
    }
  }

  /** Whether an import is running, or was stopped by a crash less than LEASE_SECONDS ago. */
  static isHeld(pool: Pool): Promise<boolean> {
    return new LeaseRepository(pool).isHeld(IMPORT_LEASE);
  }

  get fence(): Fence {
    return { lease: IMPORT_LEASE, epoch: this.epoch };
  }

  /** Aborts when another process has taken over the lease. */
  get signal(): AbortSignal {
    return this.lost.signal;
  }

  /** Releases the lease, so that the next import need not wait until it expires. */
  async release(): Promise<void> {
    clearInterval(this.timer);
    await this.renewal; // a renewal in progress would take the lease again after its release
    await this.leases
      .release(IMPORT_LEASE, this.epoch)
      .catch((err: unknown) =>
        this.logger.warn({ err }, 'lease of the import could not be released, it expires by itself'),
      );
  }

  /** A failed renewal is tried again after 5 s. The lease stays valid until another process takes it. */
  private async renew(): Promise<void> {
    try {
      if (await this.leases.renew(IMPORT_LEASE, this.epoch)) return;
      clearInterval(this.timer);
      this.logger.warn({ epoch: this.epoch }, 'another process has taken over the import, stopping');
      this.lost.abort(new StaleFenceError(IMPORT_LEASE));
    } catch (err) {
      this.logger.warn({ err }, 'lease of the import could not be renewed, trying again');
    }
  }
}

/** Runs work under the caller's lease, or under a lease of its own. @throws ImportBusyError */
export async function underLease<T>(
  { pool, logger, lease }: { readonly pool: Pool; readonly logger: Logger; readonly lease?: ImportLease },
  work: (lease: ImportLease) => Promise<T>,
): Promise<T> {
  if (lease) return work(lease);
  const own = await ImportLease.take(pool, logger);
  try {
    return await work(own);
  } finally {
    await own.release();
  }
}
