import { Injectable } from '@nestjs/common';
import { type PoolClient } from 'pg';
import { BatchAddresses } from '@donorlens/batches';
import { ContributionStore } from '@donorlens/campaign-finance';
import { type StoredLocation } from '@donorlens/geocoding';
import { ReleaseHolder } from '@donorlens/reference-data';
import { incomeOf } from '../income-of';

/** Tells whoever waits for an address: contributions of filings, then batches, whose rows every transaction locks last. */
@Injectable()
export class Settling {
  constructor(
    private readonly contributions: ContributionStore,
    private readonly batches: BatchAddresses,
    private readonly releases: ReleaseHolder,
  ) {}

  /** False while this process holds no release: a contribution's income is that of its county there. */
  async isReady(): Promise<boolean> {
    if (this.releases.current() === null) await this.releases.refreshNow();
    return this.releases.current() !== null;
  }

  /**
   * In the transaction that stores the locations.
   * @throws Error without a release: incomes that are stored would be lost
   */
  async settle(client: PoolClient, located: readonly StoredLocation[]): Promise<void> {
    const release = this.releases.current();
    if (release === null) throw new Error('no release to tell incomes from');
    await this.contributions.locate(client, located, incomeOf(release));
    await this.batches.settle(client, located);
  }
}
