import { civilDay } from '@donorlens/primitives';
import { sampleTables } from '../../../test/support/reference-data/sample-tables';
import { type EvaluationTables, evaluate } from './evaluate';
import { type TruthRow } from './truth-file';

describe('an evaluation', () => {
  let release: EvaluationTables;
  beforeAll(async () => (release = await sampleTables()));

  const row = (truth: Partial<TruthRow>, item: Record<string, string>): TruthRow => ({
    ...{ group: '', age: null, gender: null, race: null, geoid: null },
    ...truth,
    item: { date: '2016-03-01', ...item },
  });

  it('scores each attribute by the rows with an estimate', () => {
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
      ['donors', 16, 2],
      ['group', 16, 2],
    ]);
    const [name, adult] = ages!.bases;
    expect(adult.bias).toBeGreaterThanOrEqual(name.bias);
    for (const series of ['truth', 'name', 'adult', 'donors', 'group'] as const)
      expect(ages!.distribution.reduce((sum, band) => sum + band[series], 0)).toBeCloseTo(1, 9);
    expect(ages!.distribution[1]).toMatchObject({ from: 18, to: 29, truth: 4 / 17 });
    expect(ages!.distribution[0]).toMatchObject({ from: 0, to: 17, adult: 0, group: 0 });
  });

  it('estimates a donor from the other half of the cycle, without the own name', () => {
    const { ages, groupAges } = release.demographics;
    const on = civilDay(2016, 3, 1);
    const [mary, linda] = ['Mary', 'Linda'].map((name) => ages.nameIndex(name));
    const halves = [mary, linda].map((name) => groupAges.estimate([{ name, on, people: 1 }], groupAges.adults(on)));
    const medians = [mary, linda].map((name, at) => groupAges.quartiles(name, on, halves[1 - at]).median!);
    const later = groupAges.quartiles(mary, civilDay(2018, 3, 1), groupAges.adults(civilDay(2018, 3, 1))).median!;
    const people = [
      row({ age: 0 }, { first_name: 'Mary' }),
      row({ age: 0 }, { first_name: 'Linda' }),
      row({ age: 0 }, { first_name: 'Mary', date: '2018-03-01' }), // alone in its cycle
    ];
    const donors = evaluate(people, release).ages!.bases.find(({ basis }) => basis === 'donors')!;
    expect(donors.bias).toBeCloseTo((medians[0] + medians[1] + later) / 3, 12);
  });

  it('compares ethnicity by surname and by place on the same rows, and counts the areas', () => {
    const person = (item: Record<string, string>, geoid: string | null = null) =>
      row({ race: 'black', geoid }, { first_name: 'Mary', surname: 'Smith', ...item });
    const rows = [
      person({}, '09003000200'),
      person({ zip: '06150', state: 'CT' }),
      person({ fips: '09001' }),
      person({}),
      person({ surname: 'Qqqqqx', fips: '09001' }), // not listed: no estimate by surname
    ];
    const { ethnicity, place_unmeasured: unmeasured } = evaluate(rows, release);
    expect(ethnicity!.map(({ basis, rows: n, areas }) => [basis, n, areas])).toEqual([
      ['surname', 4, undefined],
      ['place', 4, { tract: 1, zcta: 1, county: 1, surname: 1 }],
    ]);
    expect(ethnicity![0].log_loss).not.toBeCloseTo(ethnicity![1].log_loss, 3);
    expect(unmeasured).toBeNull();
  });

  it('reports why ethnicity by place is not measured', () => {
    const rows = [row({ race: 'white' }, { surname: 'Smith', zip: '00000' })];
    const bases = (tables: EvaluationTables) => {
      const { ethnicity, place_unmeasured: unmeasured } = evaluate(rows, tables);
      return [ethnicity!.map(({ basis }) => basis), unmeasured];
    };
    expect(bases(release)).toEqual([['surname'], 'no_places']);
    expect(bases({ ...release, geography: null })).toEqual([['surname'], 'no_geography']);
  });

  it('has no ages without a known first name', () => {
    expect(evaluate([row({ age: 40 }, { first_name: 'Qqqqqx' })], release)).toMatchObject({
      ...{ rows: 1, ages: null, gender: null, ethnicity: null },
    });
  });
});
