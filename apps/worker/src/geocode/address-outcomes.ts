import { Injectable } from '@nestjs/common';
import { type PoolClient } from 'pg';
import { BatchAddresses } from '@donorlens/batches';
import { ContributionStore } from '@donorlens/campaign-finance';
import { type StoredLocation } from '@donorlens/geocoding';
import { ReleaseHolder } from '@donorlens/reference-data';
import { incomeOf } from '../chunk-rows.store';

/** Writes geocoding results to contributions of filings, then to batches: every transaction locks batches last. */
@Injectable()
export class AddressOutcomes {
  constructor(
    private readonly contributions: ContributionStore,
    private readonly batches: BatchAddresses,
    private readonly releases: ReleaseHolder,
  ) {}

  /** False while this process has no data release, which contains the incomes of counties for contributions. */
  async isReady(): Promise<boolean> {
    if (this.releases.current() === null) await this.releases.refreshNow();
    return this.releases.current() !== null;
  }

  /**
   * Call it in the transaction that stores the locations.
   * @throws Error without a data release, because it would overwrite stored incomes with null
   */
  async apply(client: PoolClient, geocoded: readonly StoredLocation[]): Promise<void> {
    const release = this.releases.current();
    if (release === null) throw new Error('no data release to take incomes from');
    await this.contributions.storeLocations(client, geocoded, incomeOf(release));
    await this.batches.applyOutcomes(client, geocoded);
  }
}
