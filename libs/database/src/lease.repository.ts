import { Inject, Injectable } from '@nestjs/common';
import { type Pool } from 'pg';
import { PG_POOL } from './database.module';

/** Time a holder that fell silent keeps the lease. */
export const LEASE_SECONDS = 15;

/** The right to act, one holder at a time. All times are the database's; the epoch rises with each new holder. */
@Injectable()
export class LeaseRepository {
  constructor(@Inject(PG_POOL) private readonly pool: Pool) {}

  /** @returns the epoch under which the holder may act, or null where somebody else holds the lease */
  async acquire(name: string, holder: string): Promise<string | null> {
    const { rows } = await this.pool.query<{ epoch: string }>(
      `insert into lease (name, holder, epoch, expires_at)
       values ($1, $2, 1, clock_timestamp() + make_interval(secs => $3))
       on conflict (name) do update
         set holder = excluded.holder, epoch = lease.epoch + 1, expires_at = excluded.expires_at
         where lease.expires_at < clock_timestamp()
       returning epoch`,
      [name, holder, LEASE_SECONDS],
    );
    return rows[0]?.epoch ?? null;
  }

  /** False where somebody else took the lease. One that ran out but was not taken is still its holder's. */
  async renew(name: string, epoch: string): Promise<boolean> {
    const { rowCount } = await this.pool.query(
      `update lease set expires_at = clock_timestamp() + make_interval(secs => $3) where name = $1 and epoch = $2`,
      [name, epoch, LEASE_SECONDS],
    );
    return rowCount === 1;
  }

  /** Lets the next one in at once. */
  async release(name: string, epoch: string): Promise<void> {
    await this.pool.query(`update lease set expires_at = '-infinity' where name = $1 and epoch = $2`, [name, epoch]);
  }
}
