import fc from 'fast-check';
import { type NameDetail, civilDay } from '@donorlens/primitives';
import { type Release } from '@donorlens/reference-data';
import { sampleTables } from '../../../test/support/reference-data/sample-tables';
import { type ChunkSpec } from './chunk';
import { enrichRows } from './enrich-chunk';
import { filedNameDetail, itemDetails } from './name-detail';

const NOTHING: NameDetail = {
  ...{
    age_q25: null,
    age_q75: null,
    gender_prob: null,
    female_share_living: null,
    first_name_key: null,
    surname_key: null,
  },
  ...{ name_kind: null, age_basis: null, ethnicity_basis: null },
};

describe('the detail of a row', () => {
  let release: Release;
  beforeAll(async () => (release = await sampleTables()));

  const spec = (more: Partial<ChunkSpec> = {}) => ({
    ...{ type: 'contributions' as const, format: 'csv' as const, minAge: null },
    columns: ['first_name', 'surname', 'contributor_name', 'entity_type', 'date'],
    mapping: { first_name: 0, surname: 1, contributor_name: 2, entity_type: 3, date: 4 },
    ...more,
  });
  const detail = (source: string, more: Partial<ChunkSpec> = {}) => itemDetails(spec(more), release)(source);

  it('has quartiles, share of births, keys and bases of the names', () => {
    const { ages } = release.demographics;
    const mary = ages.nameIndex('Mary');
    const on = civilDay(2016, 3, 1);
    for (const minAge of [null, 18, 50]) {
      const { q25, q75 } = ages.quartiles(mary, on, minAge ?? 0);
      expect(detail('Mary,Garcia,,,2016-03-01', { minAge })).toEqual({
        ...{ age_q25: q25, age_q75: q75, first_name_key: 'mary', surname_key: 'GARCIA', name_kind: 'person' },
        gender_prob: Math.round(1e6 * ages.genderProbability(mary, 'f')) / 1e6,
        female_share_living: Math.round(1e6 * ages.femaleShareLiving(mary, on, minAge ?? 0)!) / 1e6,
        age_basis: minAge === 18 ? 'adult' : 'name',
        ethnicity_basis: 'surname',
      });
    }
  });

  it.each([
    ['Mary,Garcia,,,', { age_q25: null, age_basis: null, first_name_key: 'mary', surname_key: null }],
    [',,"GARCIA, JAMES & MARY",,2016-03-01', { name_kind: 'couple', first_name_key: 'james', surname_key: 'GARCIA' }],
    [',,GARCIA,,2016-03-01', { ...NOTHING, name_kind: 'unparsed', surname_key: 'GARCIA', ethnicity_basis: 'surname' }],
    [',,GARCIA & SONS LLC,,2016-03-01', { ...NOTHING, name_kind: 'organization' }],
    ['Mary,Garcia,,PAC,2016-03-01', { ...NOTHING, name_kind: 'organization' }],
    ['Mary,Garcia,ESTATE OF MARY GARCIA,IND,2016-03-01', { ...NOTHING, name_kind: 'organization' }],
    ['Mary,Garcia,MR. GARCIA,IND,2016-03-01', { name_kind: 'person', first_name_key: 'mary', surname_key: 'GARCIA' }],
    ['Mary,Garcia,"GARCIA, JAMES & ANN MRS.",,2016-03-01', { name_kind: 'person', first_name_key: 'mary' }],
    ['Qqqqqx,Qqqqqx,,,2016-03-01', { ...NOTHING, name_kind: 'person' }],
    [',,,,2016-03-01', NOTHING],
  ])('has the known facts: %s', (source, known) => {
    expect(detail(source)).toMatchObject(known);
  });

  it('has the share of a gender by title, which may be below 0.5', () => {
    const { gender_prob: share } = detail(',,"GARCIA, MARY MR.",,2016-03-01')!;
    const { ages } = release.demographics;
    expect(share).toBeCloseTo(ages.genderProbability(ages.nameIndex('Mary'), 'm'), 6);
    expect(share).toBeLessThan(0.5);
  });

  it('reads items of JSON, and is null for a damaged source', () => {
    const json = { format: 'json' as const, columns: null, mapping: {} };
    const source = JSON.stringify({ first_name: 'Mary', surname: 'Garcia', date: '2016-03-01' });
    expect(detail(source, json)).toEqual(detail('Mary,Garcia,,,2016-03-01'));
    expect(detail('{', json)).toBeNull();
    expect(detail('Mary')).toBeNull();
  });

  it('is the same for a stored contribution', () => {
    const on = civilDay(2016, 3, 1);
    const filed = (name: string, day: number | null = on) =>
      filedNameDetail({ name, entityType: 'IND', on: day }, release);
    expect(filed('GARCIA, MARY')).toEqual(detail(',,"GARCIA, MARY",IND,2016-03-01'));
    expect(filed('GARCIA, MARY', null)).toEqual(detail(',,"GARCIA, MARY",IND,'));
  });

  it('agrees with the stored estimates for any names', () => {
    const name = fc.constantFrom('Mary', 'James', 'Linda', 'Qqqqqx', '', 'Dr. Mary', 'Garcia', 'Smith', 'Van Smith');
    const filed = fc.constantFrom('', 'GARCIA, MARY', 'SMITH, JAMES & MARY', 'SMITH LLC', 'SMITH, MR');
    const minAge = fc.constantFrom(null, 18, 60);
    fc.assert(
      fc.property(name, name, filed, minAge, fc.integer({ min: 1900, max: 2080 }), (first, last, full, age, year) => {
        const source = `${first},${last},"${full}",,${year}-06-30`;
        const rules = spec({ minAge: age });
        const [{ item }] = enrichRows(
          { ...rules, batchId: '', firstRow: 1, rows: 1 },
          Buffer.from(`${source}\n`),
          release,
        );
        const found = itemDetails(rules, release)(source)!;
        expect(found.age_basis === null).toBe(item.ageYears === null);
        expect(found.ethnicity_basis === null).toBe(item.pctHundredths === null);
        expect(found.first_name_key === null).toBe(item.nameIndex < 0);
        if (item.ageYears !== null) {
          expect(found.age_q25!).toBeLessThanOrEqual(item.ageYears);
          expect(found.age_q75!).toBeGreaterThanOrEqual(item.ageYears);
          expect(found.age_q25!).toBeGreaterThanOrEqual(age ?? 0);
        }
      }),
    );
  });
});
