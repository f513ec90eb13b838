import { type Pool } from 'pg';
import { LeaseRepository, StaleFenceError } from '@donorlens/database';
import { LEADER_LEASE, OpsRequests } from '@donorlens/operations';
import { ReleaseRepository } from '@donorlens/reference-data';

/** Does what a leader would that does not know that another one leads: each term's writes, tried once it is over. */
export class FormerLeader {
  tried = 0;
  refused = 0;
  readonly accepted: string[] = [];
  private newest = 0n;

  constructor(private readonly pool: Pool) {}

  /** For the last term that ended since it was asked before. */
  async tryAll(): Promise<void> {
    const { rows } = await this.pool.query<{ epoch: string }>(`select epoch from lease where name = $1`, [
      LEADER_LEASE,
    ]);
    const epoch = BigInt(rows[0].epoch);
    if (epoch === this.newest) return;
    this.newest = epoch;
    await this.tryUnder(String(epoch - 1n));
  }

  private async tryUnder(epoch: string): Promise<void> {
    const fence = { lease: LEADER_LEASE, epoch };
    const releases = new ReleaseRepository(this.pool);
    const requests = new OpsRequests(this.pool);
    const active = (await releases.activeId()) ?? '';
    const refusal = (error: unknown): boolean => {
      if (error instanceof StaleFenceError) return false;
      throw error;
    };
    await this.attempt('the activation of a release', () => releases.activate(active, fence).then(() => true, refusal));
    await this.attempt('the lease renewed', () => new LeaseRepository(this.pool).renew(LEADER_LEASE, epoch));
    await requests.ask('redrive', { queue: 'geocode' }, 'proof of former leaders');
    await this.attempt('a request taken', async () => (await requests.next(fence, 'prompt')) !== null);
  }

  private async attempt(what: string, write: () => Promise<boolean>): Promise<void> {
    this.tried++;
    if (await write()) this.accepted.push(what);
    else this.refused++;
  }
}
