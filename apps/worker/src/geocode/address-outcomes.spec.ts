import { type BatchAddresses } from '@donorlens/batches';
import { type ContributionStore } from '@donorlens/campaign-finance';
import { type StoredLocation } from '@donorlens/geocoding';
import { type Release, type ReleaseHolder } from '@donorlens/reference-data';
import { type PoolClient } from 'pg';
import { sampleTables } from '../../../../test/support/reference-data/sample-tables';
import { AddressOutcomes } from './address-outcomes';

describe('rows that wait for an address', () => {
  let written: string[];
  const outcomes = (release: Release | null): AddressOutcomes =>
    new AddressOutcomes(
      {
        storeLocations: (
          _client: PoolClient,
          geocoded: readonly StoredLocation[],
          incomeOf: (fips: string) => number | null,
        ) => {
          written.push(`contributions ${geocoded.map(({ fips }) => incomeOf(fips!)).join()}`);
          return Promise.resolve(0);
        },
      } as Partial<ContributionStore> as ContributionStore,
      {
        applyOutcomes: () => {
          written.push('batches');
          return Promise.resolve();
        },
      } as Partial<BatchAddresses> as BatchAddresses,
      { current: () => release, refreshNow: () => Promise.resolve() } as Partial<ReleaseHolder> as ReleaseHolder,
    );
  const applied = (release: Release | null): Promise<void> =>
    outcomes(release).apply({} as PoolClient, [{ fips: '10001' } as StoredLocation]);
  beforeEach(() => {
    written = [];
  });

  it('get its outcome: first contributions, with the income of the county, then batches', async () => {
    const release = await sampleTables();
    expect(await outcomes(release).isReady()).toBe(true);
    await applied(release);
    expect(written).toEqual([`contributions ${release.counties.find('10001')!.medianHouseholdIncome}`, 'batches']);
  });

  it('are not updated without a data release, so that no income is stored as unknown', async () => {
    expect(await outcomes(null).isReady()).toBe(false);
    await expect(applied(null)).rejects.toThrow('no data release');
    expect(written).toEqual([]);
  });
});
