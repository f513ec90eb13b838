import { type EnrichmentTables } from '@donorlens/enrichment';
import { sampleTables } from '../../../test/support/sample-tables';
import { evaluate } from './evaluate';
import { type TruthRow } from './truth-file';

describe('an evaluation', () => {
  let release: EnrichmentTables;
  beforeAll(async () => (release = await sampleTables()));

  const row = (truth: Partial<TruthRow>, item: Record<string, string>): TruthRow => ({
    ...{ group: '', age: null, gender: null, race: null },
    ...truth,
    item: { date: '2016-03-01', ...item },
  });

  it('scores each attribute by the rows whose name tells it', () => {
    const result = evaluate(
      [
        row({ gender: 'f', race: 'hispanic' }, { first_name: 'Mary', surname: 'Garcia' }),
        row({ gender: 'm', race: 'white' }, { first_name: 'Mary', surname: 'Garcia' }),
        row({ gender: 'm', race: 'white' }, { first_name: 'Qqqqqx', surname: 'Qqqqqx' }),
        row({ gender: 'm' }, { first_name: 'Mary', fips: 'no county' }),
      ],
      release,
    );
    expect(result).toMatchObject({
      ...{ rows: 4, invalid_rows: 1, first_names_known: 2, surnames_known: 2, ages: null },
      gender: [{ basis: 'name', rows: 2, accuracy: 0.5 }],
      ethnicity: [{ basis: 'surname', rows: 2, accuracy: 0.5 }],
    });
    const { ages } = release.demographics;
    const female = ages.genderProbability(ages.nameIndex('Mary'), 'f');
    expect(result.gender![0].brier).toBeCloseTo((2 * (1 - female) ** 2 + 2 * female ** 2) / 2, 12);
  });

  it('compares ages by every basis, and the distribution of all with the true one', () => {
    const people = ['Mary', 'Linda', 'James', 'Jennifer'].flatMap((name, at) =>
      [20, 35, 50, 65].map((age) => row({ age, group: at % 2 === 0 ? 'a' : 'b' }, { first_name: name })),
    );
    const { ages } = evaluate([...people, row({ age: 40, group: 'a' }, { first_name: 'Qqqqqx' })], release);
    expect(ages!.bases.map(({ basis, rows, groups }) => [basis, rows, groups])).toEqual([
      ['name', 16, 2],
      ['adult', 16, 2],
      ['group', 16, 2],
    ]);
    const [name, adult] = ages!.bases;
    expect(adult.bias).toBeGreaterThanOrEqual(name.bias);
    for (const series of ['truth', 'name', 'adult', 'group'] as const)
      expect(ages!.distribution.reduce((sum, band) => sum + band[series], 0)).toBeCloseTo(1, 9);
    expect(ages!.distribution[1]).toMatchObject({ from: 18, to: 29, truth: 4 / 17 });
    expect(ages!.distribution[0]).toMatchObject({ from: 0, to: 17, adult: 0, group: 0 });
  });

  it('says nothing of ages where no first name is known', () => {
    expect(evaluate([row({ age: 40 }, { first_name: 'Qqqqqx' })], release)).toMatchObject({
      ...{ rows: 1, ages: null, gender: null, ethnicity: null },
    });
  });
});
