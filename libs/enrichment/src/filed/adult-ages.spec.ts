import fc from 'fast-check';
import { civilDay } from '@donorlens/primitives';
import { type Release } from '@donorlens/reference-data';
import { sampleTables } from '../../../../test/support/sample-tables';
import { AdultAges } from './adult-ages';

describe('ages of adults', () => {
  let release: Release;
  beforeAll(async () => {
    release = await sampleTables();
  });

  it('are the estimator’s, asked for the first time or again', () => {
    const { ages } = release.demographics;
    const kept = new AdultAges(ages);
    const day = fc.integer({ min: civilDay(1960, 1, 1), max: civilDay(2160, 1, 1) });
    fc.assert(
      fc.property(fc.constantFrom('Mary', 'James', 'Ethan', 'Liam', 'Dorothy'), day, (name, on) => {
        const index = ages.nameIndex(name);
        const age = ages.ageDirect(index, on, 18);
        expect([kept.at(index, on), kept.at(index, on)]).toEqual([age, age]);
      }),
      { numRuns: 1000 },
    );
  });

  it('are kept for each release apart', () => {
    const { ages } = release.demographics;
    expect(AdultAges.of(ages)).toBe(AdultAges.of(ages));
    expect(AdultAges.of(Object.create(ages) as typeof ages)).not.toBe(AdultAges.of(ages));
  });
});
