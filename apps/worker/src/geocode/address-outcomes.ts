import { Injectable } from '@nestjs/common';
import { type PoolClient } from 'pg';
import { BatchAddresses } from '@donorlens/batches';
import { ContributionStore } from '@donorlens/campaign-finance';
import { type StoredLocation } from '@donorlens/geocoding';
import { ReleaseHolder } from '@donorlens/reference-data';
import { incomeOf } from '../chunk-rows.store';

/** Writes geocoded outcomes to the rows that wait for them: contributions of filings, then batches, which every transaction locks last. */
@Injectable()
export class AddressOutcomes {
  constructor(
    private readonly contributions: ContributionStore,
    private readonly batches: BatchAddresses,
    private readonly releases: ReleaseHolder,
  ) {}

  /** False while this process has no data release, from which a contribution takes the income of its county. */
  async isReady(): Promise<boolean> {
    if (this.releases.current() === null) await this.releases.refreshNow();
    return this.releases.current() !== null;
  }

  /**
   * Runs in the transaction that stores the locations.
   * @throws Error without a data release: stored incomes would be lost
   */
  async apply(client: PoolClient, geocoded: readonly StoredLocation[]): Promise<void> {
    const release = this.releases.current();
    if (release === null) throw new Error('no data release to take incomes from');
    await this.contributions.locate(client, geocoded, incomeOf(release));
    await this.batches.applyOutcomes(client, geocoded);
  }
}
