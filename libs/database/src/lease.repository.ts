import { Inject, Injectable } from '@nestjs/common';
import { type Pool, type PoolClient } from 'pg';
import { DomainError } from '@donorlens/primitives';
import { sqlIsOver } from './clock-sql';
import { PG_POOL } from './database.module';

/** How long a holder that stopped renewing keeps the lease. */
export const LEASE_SECONDS = 15;

/** SQL: the row of the table `lease` has no holder. */
export const SQL_LEASE_OVER = sqlIsOver('expires_at', LEASE_SECONDS);

/** Leader election: one holder at a time. All times are the database's; the epoch rises with each new holder. */
@Injectable()
export class LeaseRepository {
  constructor(@Inject(PG_POOL) private readonly pool: Pool) {}

  /** @returns the epoch under which the holder may act, or null if another process holds the lease */
  async acquire(name: string, holder: string): Promise<string | null> {
    const { rows } = await this.pool.query<{ epoch: string }>(
      `insert into lease (name, holder, epoch, expires_at)
       values ($1, $2, 1, clock_timestamp() + make_interval(secs => $3))
       on conflict (name) do update
         set holder = excluded.holder, epoch = lease.epoch + 1, expires_at = excluded.expires_at
         where ${sqlIsOver('lease.expires_at', '$3')}
       returning epoch`,
      [name, holder, LEASE_SECONDS],
    );
    return rows[0]?.epoch ?? null;
  }

  /** False if another process took the lease. One that has expired but was not taken still belongs to its holder. */
  async renew(name: string, epoch: string): Promise<boolean> {
    const { rowCount } = await this.pool.query(
      `update lease set expires_at = clock_timestamp() + make_interval(secs => $3) where name = $1 and epoch = $2`,
      [name, epoch, LEASE_SECONDS],
    );
    return rowCount === 1;
  }

  /** Whether a holder has the lease now; true for up to LEASE_SECONDS after its process crashed. */
  async isHeld(name: string): Promise<boolean> {
    const { rowCount } = await this.pool.query(`select from lease where name = $1 and not ${SQL_LEASE_OVER}`, [name]);
    return rowCount === 1;
  }

  /** Lets another process acquire it at once. */
  async release(name: string, epoch: string): Promise<void> {
    await this.pool.query(`update lease set expires_at = '-infinity' where name = $1 and epoch = $2`, [name, epoch]);
  }
}

/** Fencing token: the lease and epoch under which a process writes, checked so that a former holder cannot write. */
export interface Fence {
  readonly lease: string;
  readonly epoch: number | string | bigint;
}

export class StaleFenceError extends DomainError {
  readonly code = 'stale_fence';

  constructor(readonly lease: string) {
    super(`lease ${lease} has another holder; nothing was changed`, { lease });
  }
}

/**
 * Locks the lease's row until the transaction ends, so that no other process takes it over meanwhile.
 * @throws StaleFenceError
 */
export async function holdLease(client: PoolClient, { lease, epoch }: Fence): Promise<void> {
  const { rowCount } = await client.query('select 1 from lease where name = $1 and epoch = $2 for share', [
    lease,
    String(epoch),
  ]);
  if (rowCount === 0) throw new StaleFenceError(lease);
}
