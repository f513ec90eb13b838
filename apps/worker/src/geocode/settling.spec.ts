import { type BatchAddresses } from '@donorlens/batches';
import { type ContributionStore } from '@donorlens/campaign-finance';
import { type StoredLocation } from '@donorlens/geocoding';
import { type Release, type ReleaseHolder } from '@donorlens/reference-data';
import { type PoolClient } from 'pg';
import { sampleTables } from '../../../../test/support/sample-tables';
import { Settling } from './settling';

describe('whoever waits for an address', () => {
  let told: string[];
  const settling = (release: Release | null): Settling =>
    new Settling(
      {
        locate: (
          _client: PoolClient,
          located: readonly StoredLocation[],
          incomeOf: (fips: string) => number | null,
        ) => {
          told.push(`contributions ${located.map(({ fips }) => incomeOf(fips!)).join()}`);
          return Promise.resolve(0);
        },
      } as Partial<ContributionStore> as ContributionStore,
      {
        settle: () => {
          told.push('batches');
          return Promise.resolve();
        },
      } as Partial<BatchAddresses> as BatchAddresses,
      { current: () => release, refreshNow: () => Promise.resolve() } as Partial<ReleaseHolder> as ReleaseHolder,
    );
  const settled = (release: Release | null): Promise<void> =>
    settling(release).settle({} as PoolClient, [{ fips: '10001' } as StoredLocation]);
  beforeEach(() => {
    told = [];
  });

  it('is told: contributions with the income of the county, then batches', async () => {
    const release = await sampleTables();
    expect(await settling(release).isReady()).toBe(true);
    await settled(release);
    expect(told).toEqual([`contributions ${release.counties.find('10001')!.medianHouseholdIncome}`, 'batches']);
  });

  it('is told nothing without a release, not even that there is no income', async () => {
    expect(await settling(null).isReady()).toBe(false);
    await expect(settled(null)).rejects.toThrow('no release');
    expect(told).toEqual([]);
  });
});
