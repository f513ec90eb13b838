import { type PoolClient } from 'pg';
import { DomainError } from '@donorlens/primitives';

/** The lease under which somebody acts; writes that a former holder must not make check that it is still theirs. */
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

/** Holds the lease's row until the transaction ends, so that nobody takes it over in between. @throws StaleFenceError */
export async function holdLease(client: PoolClient, { lease, epoch }: Fence): Promise<void> {
  const { rowCount } = await client.query('select 1 from lease where name = $1 and epoch = $2 for share', [
    lease,
    String(epoch),
  ]);
  if (rowCount === 0) throw new StaleFenceError(lease);
}
