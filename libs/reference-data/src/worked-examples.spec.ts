import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import {
  AgeEstimator,
  type BirthTable,
  buildStepTable,
  censusFor,
  emptyEthnicity,
  type GroupAges,
  groupQuantile,
  PackedKeyIndex,
  PCT_COLUMNS,
  surnameEthnicity,
} from '@donorlens/demographics';
import { unzip } from '@donorlens/downloads';
import { civilDay, parseCivilDay, parseFecDay } from '@donorlens/primitives';
import {
  congressMembers,
  drawFrom,
  type KnownPerson,
  meanOf,
  medianOf,
  NameDrawer,
  randomNumbers,
  wasserstein,
} from '../../../test/support/reference-data/known-ages';
import { OFFICIAL_DATA, WORKED_EXAMPLES, describeWith } from '../../../test/support/tools';
import { type Release, openRelease } from './releases/release';
import { bornIn } from './releases/release-checks';
import { compileFolder } from './compile-release';

/**
 * The published files and the worked examples that were computed from them are not in the repository. These tests compare
 * every row of the examples, and some published values.
 */

type Cells = Record<string, string>;

const rowsOf = (file: string): Cells[] => parse(readFileSync(join(WORKED_EXAMPLES, file)), { columns: true });
const numberOrNull = (cell: string): number | null => (cell === '' ? null : Number(cell));
const say = (line: string): boolean => process.stdout.write(`${line}\n`);

describeWith('official data', 'worked examples')('published files and worked examples', () => {
  let release: Release;

  beforeAll(async () => {
    release = openRelease(await compileFolder(OFFICIAL_DATA, { steps: false }));
  });

  it('loads what the facts about the files say', () => {
    const { births, life, surnames2000, surnames2010 } = release.tables;
    expect(births.names.size).toBe(103_564);
    expect(births.count.reduce((sum, count) => sum + count, 0)).toBe(368_636_238);
    expect(births.count).toHaveLength(2_117_219);
    expect([
      bornIn(births, 'mary', 1, 1880),
      bornIn(births, 'linda', 1, 1947),
      bornIn(births, 'jennifer', 1, 1972),
      bornIn(births, 'james', 0, 1947),
    ]).toEqual([7065, 99_693, 63_605, 94_761]);
    const inYear = (year: number) => births.yearOffset.filter((offset) => births.firstYear + offset === year).length;
    expect([inYear(1880), inYear(2023)]).toEqual([2000, 31_682]);

    const q = (sex: 0 | 1, year: number, age: number) => life.q[(sex * 196 + year - 1900) * 120 + age];
    expect(life.q).toHaveLength(47_040);
    expect([q(0, 1900, 0), q(1, 1900, 0), q(1, 1900, 1)]).toEqual([0.145957, 0.119694, 0.036172]);
    expect([q(0, 2018, 0), q(1, 2018, 0)]).toEqual([0.006045, 0.005075]);

    const percents = (table: typeof surnames2000, name: string) => {
      const row = table.names.find(name);
      return Object.fromEntries(PCT_COLUMNS.map((column, i) => [column, table.pct[6 * row + i] / 100]));
    };
    const smith2010 = { white: 70.9, black: 23.11, api: 0.5, aian: 0.89, '2prace': 2.19, hispanic: 2.4 };
    const smith2000 = { white: 73.35, black: 22.22, api: 0.4, aian: 0.85, '2prace': 1.63, hispanic: 1.56 };
    expect([percents(surnames2010, 'SMITH'), percents(surnames2000, 'SMITH')]).toEqual([smith2010, smith2000]);
    expect([surnames2000.names.size, surnames2010.names.size]).toEqual([151_671, 162_253]);
    expect(surnames2010.names.find('ALL OTHER NAMES')).toBe(-1);
    expect(release.checks.find(({ check }) => check === 'people with a listed surname, 2000')?.found).toBe(242_121_073);
    expect(release.checks.find(({ check }) => check === 'people with a listed surname, 2010')?.found).toBe(
      294_979_229 - 29_312_001,
    );

    const income = (fips: string) => release.counties.find(fips)?.medianHouseholdIncome;
    expect(['06037', '36061', '11001', '48261', '51107', '01131'].map(income)).toEqual([
      67_986, 84_610, 82_533, 42_153, 140_382, 25_385,
    ]);
    expect([...release.counties].filter((county) => county.medianHouseholdIncome !== null).length).toBe(3_141 + 3);
  });

  it('knows counties by the codes of both vintages and keeps a missing estimate missing', () => {
    const county = (fips: string) => release.counties.find(fips);
    expect(county('15005')).toMatchObject({ name: 'Kalawao County', medianHouseholdIncome: null });
    for (const [old, successor] of [
      ['02270', '02158'],
      ['46113', '46102'],
      ['51515', '51019'],
    ])
      expect(county(old)?.medianHouseholdIncome).toBe(county(successor)?.medianHouseholdIncome);
    expect([county('46113')?.name, county('46102')?.name]).toEqual(['Shannon County', 'Oglala Lakota County']);
    expect(county('72001')?.medianHouseholdIncome).toBeNull();
  });

  it('gives the age, the quartiles, the gender and the number living of every row of age-gender.csv', () => {
    const { ages } = release.demographics;
    const rows = rowsOf('age-gender.csv');
    let exact = 0;
    let asked = 0;
    for (const row of rows) {
      const on = parseCivilDay(row.date);
      const minAge = Number(row.min_age || 0);
      const name = ages.nameIndex(row.name);
      const label = `${row.name} ${row.date} ${row.min_age}`;
      if (name < 0) {
        expect([label, row.gender, row.age, row.living_m]).toEqual([label, '', '', '']);
        continue;
      }
      const found = ages.distribution(name, on, minAge);
      expect([label, found.gender ?? '']).toEqual([label, row.gender]);
      expect([label, ages.ageAt(name, on, minAge)]).toEqual([label, ages.ageDirect(name, on, minAge)]);
      expect([label, ages.ageAt(name, on, minAge)]).toEqual([label, found.median ?? -1]);
      for (const [got, wanted, margin] of [
        [found.median, numberOrNull(row.age), row.margin_age],
        [found.q25, numberOrNull(row.q25), row.margin_q25],
        [found.q75, numberOrNull(row.q75), row.margin_q75],
      ] as const) {
        asked++;
        if (got === wanted) exact++;
        else
          expect([label, Number(margin) < 0.005 && Math.abs(Number(got) - Number(wanted)) <= 1]).toEqual([label, true]);
      }
      for (const [got, wanted] of [
        [found.livingM, Number(row.living_m)],
        [found.livingF, Number(row.living_f)],
      ])
        expect([label, got, Math.abs(got - wanted) <= 0.02 + 0.0002 * wanted]).toEqual([label, got, true]);
    }
    say(`age-gender.csv: ${rows.length} rows, ${exact} of ${asked} ages and quartiles exact`);
    expect(rows.length).toBeGreaterThan(0);
    expect(exact / asked).toBeGreaterThanOrEqual(0.995);
  });

  it('gives the race, the percentages and the suppressed cells of every row of ethnicity.csv', () => {
    const rows = rowsOf('ethnicity.csv');
    let exact = 0;
    for (const row of rows) {
      const year = Number(row.year);
      const label = `${row.surname} ${row.year}`;
      expect([label, String(censusFor(year))]).toEqual([label, row.census]);
      const found = surnameEthnicity(row.surname, year, release.demographics, emptyEthnicity());
      const { surnameTable: table, surnameRow: index, race } = found;
      expect([label, table?.names.keyAt(index) ?? '']).toEqual([label, row.key]);
      if (table === null) {
        exact++;
        continue;
      }
      expect([label, race]).toEqual([label, row.race]);
      const percents = PCT_COLUMNS.map((_, i) => table.pct[6 * index + i]);
      const wanted = PCT_COLUMNS.map((column) => Math.round(Number(row[`pct${column}`]) * 100));
      percents.forEach((percent, i) => expect([label, Math.abs(percent - wanted[i]) <= 1]).toEqual([label, true]));
      if (percents.every((percent, i) => percent === wanted[i])) exact++;
      const hidden = PCT_COLUMNS.filter((_, i) => (table.suppressed[index] & (1 << i)) !== 0).map(
        (name) => `pct${name}`,
      );
      expect([label, hidden.sort()]).toEqual([
        label,
        row.suppressed
          .split(/[ ;|,]+/)
          .filter(Boolean)
          .sort(),
      ]);
    }
    say(`ethnicity.csv: ${rows.length} rows, ${exact} with all six percentages exact`);
    expect(rows.length).toBeGreaterThan(0);
  });

  it('takes every contributor name of names.csv apart as stated', () => {
    const rows = rowsOf('names.csv');
    const results = rows.map((row) => {
      const entityType = row.entity_type === '' ? undefined : row.entity_type;
      const in2010 = release.demographics.parseName(row.contributor_name, entityType, 2016);
      const in2000 = release.demographics.parseName(row.contributor_name, entityType, 2004);
      return [
        row.contributor_name,
        in2010.kind,
        in2010.firstKey ?? '',
        in2010.surnameKey ?? '',
        in2000.surnameKey ?? '',
      ];
    });
    const wanted = rows.map((row) => [
      row.contributor_name,
      row.kind.replace('organisation', 'organization'),
      row.first_key,
      row.surname_key_2010,
      row.surname_key_2000,
    ]);
    const exact = results.filter((result, i) => JSON.stringify(result) === JSON.stringify(wanted[i])).length;
    say(`names.csv: ${exact} of ${rows.length} rows exact`);
    expect(results).toEqual(wanted);
  });

  /** Shares of the rows of individuals with a key found, in percent: first name, surname of 2010, both. */
  function sharesFound(itcont: string): [first: number, surname: number, both: number] {
    let individuals = 0;
    const found = [0, 0, 0];
    for (const line of itcont.split('\n')) {
      const fields = line.split('|');
      if (fields[6] !== 'IND') continue;
      individuals++;
      const { firstKey, surnameKey } = release.demographics.parseName(fields[7], 'IND', 2016);
      if (firstKey !== null) found[0]++;
      if (surnameKey !== null) found[1]++;
      if (firstKey !== null && surnameKey !== null) found[2]++;
    }
    const [first, surname, both] = found.map((count) => (100 * count) / individuals);
    return [first, surname, both];
  }

  /** Rows of individuals with a title and a known name, and those whose births are mostly of the title's sex. */
  function titlesIn(itcont: string): { rows: number; agreeing: number } {
    const { demographics } = release;
    const counts = { rows: 0, agreeing: 0 };
    for (const line of itcont.split('\n')) {
      const fields = line.split('|');
      if (fields[6] !== 'IND') continue;
      const { firstKey, donor } = demographics.parseName(fields[7], 'IND', 2016);
      if (donor.titleGender === null || firstKey === null) continue;
      counts.rows++;
      if (demographics.ages.genderOf(demographics.ages.nameIndex(firstKey), NaN) === donor.titleGender)
        counts.agreeing++;
    }
    return counts;
  }

  it('answers from the step table what the direct sum answers, for every name and date of the sample file', () => {
    const { ages, parseName } = known(release);
    const asked: { key: string; on: number }[] = [];
    for (const line of readFileSync(join(OFFICIAL_DATA, 'fec/itcont/itcont-sample-2015-2017.txt'), 'latin1').split(
      '\n',
    )) {
      const fields = line.split('|');
      const on = parseFecDay(fields[13] ?? '');
      const key = Number.isNaN(on) ? null : parseName(fields[7]);
      if (key !== null) asked.push({ key, on });
    }
    const births = onlyNames(release.tables.births, [...new Set(asked.map(({ key }) => key))].sort());
    const steps = buildStepTable(births, release.tables.life, {
      from: civilDay(2014, 1, 1),
      to: civilDay(2018, 12, 31),
    });
    const stepped = new AgeEstimator(births, release.tables.life, steps);
    const differing = asked.filter(
      ({ key, on }) => stepped.ageAt(stepped.nameIndex(key), on) !== ages.ageDirect(ages.nameIndex(key), on),
    );
    say(`step table: ${asked.length} names and dates of contributions, ${differing.length} differ from the direct sum`);
    expect([asked.length > 9_000, steps.day.length > 1_000, differing]).toEqual([true, true, []]);
  });

  it.each([
    ['fec/itcont/itcont-sample-2015-2017.txt', [97.79, 89.15, 87.37]],
    ['fec/2020/indiv20.zip', [97.61, 89.39, 87.44]],
  ])('finds the names of individuals in %s', async (path, wanted) => {
    const bytes = readFileSync(join(OFFICIAL_DATA, path));
    const text = path.endsWith('.zip') ? await contributionsOf(path, bytes) : bytes.toString('latin1');
    const shares = sharesFound(text);
    say(`${path}: first name, surname, both found in ${shares.map((share) => share.toFixed(2)).join(' / ')} %`);
    shares.forEach((share, i) => expect(share).toBeGreaterThanOrEqual(wanted[i] - 0.1));
    const { rows, agreeing } = titlesIn(text);
    say(`${path}: ${rows} titles decide a gender, the name agrees in ${((100 * agreeing) / rows).toFixed(2)} %`);
    expect([rows > 100, agreeing / rows > 0.95]).toEqual([true, true]);
  });

  describe('ages of groups from first names alone', () => {
    const on = civilDay(2016, 12, 31);
    const named = ({ demographics: { ages } }: Release, people: readonly KnownPerson[]) =>
      people.map((one) => ({ ...one, name: ages.nameIndex(one.firstName), people: 1 }));

    it('are those of members of Congress: group by group, and person by person', () => {
      const { ages, groupAges } = release.demographics;
      const members = named(release, congressMembers());
      const parent = groupAges.estimate(members, groupAges.adults(civilDay(1995, 1, 1)));
      const [ofGroups, ofAdults, persons, inside]: number[][] = [[], [], [], []];
      for (const group of new Set(members.map((one) => one.group))) {
        const people = members.filter((one) => one.group === group);
        const estimate = groupAges.estimate(people, parent);
        const truth = medianOf(people.map(({ age }) => age));
        const known = people.filter(({ name }) => name >= 0);
        ofGroups.push(Math.abs(groupQuantile(estimate.shares, 0.5) - truth));
        ofAdults.push(Math.abs(medianOf(known.map((one) => ages.ageAt(one.name, one.on, 18))) - truth));
        for (const { name, on: day, age } of known) {
          const { q25, median, q75 } = groupAges.quartiles(name, day, estimate);
          persons.push(median! - age);
          inside.push(q25! <= age && age <= q75! ? 1 : 0);
        }
      }
      const [error, bias, absolute] = [meanOf(ofGroups), meanOf(persons), meanOf(persons.map(Math.abs))];
      say(
        `${members.length} members of Congress: median of a group wrong by ${error.toFixed(2)} years ` +
          `(${meanOf(ofAdults).toFixed(2)} with min_age=18), a person by ${absolute.toFixed(2)}, on average ` +
          `${bias.toFixed(2)}; ${(100 * meanOf(inside)).toFixed(1)} % within the quartiles`,
      );
      expect(error).toBeLessThanOrEqual(2.5);
      expect(Math.abs(bias)).toBeLessThanOrEqual(2);
      expect(absolute).toBeLessThanOrEqual(9.6);
      expect(meanOf(inside)).toBeGreaterThanOrEqual(0.5);
      expect(meanOf(inside)).toBeLessThanOrEqual(0.7);
    });

    it.each([5, 10, 20, 50])('are nearer to the truth than those of all adults, for committees of %d', (size) => {
      const { groupAges } = release.demographics;
      const random = randomNumbers(size);
      const members = named(release, congressMembers()).filter(({ name }) => name >= 0);
      const errors: [number, number, number, number][] = [];
      for (let i = 0; i < 60; i++) {
        const first = members[Math.floor(random() * members.length)];
        const congress = members.filter(({ group }) => group === first.group);
        const people = Array.from({ length: size }, () => congress[Math.floor(random() * congress.length)]);
        const adults = groupAges.adults(first.on);
        const truth = medianOf(people.map(({ age }) => age));
        const of = (group: GroupAges): [number, number] => [
          Math.abs(groupQuantile(group.shares, 0.5) - truth),
          meanOf(people.map((one) => Math.abs(groupAges.quartiles(one.name, one.on, group).median! - one.age))),
        ];
        errors.push([...of(groupAges.estimate(people, adults)), ...of(adults)]);
      }
      const [median, person, priorMedian, priorPerson] = [0, 1, 2, 3].map((at) => meanOf(errors.map((one) => one[at])));
      say(
        `committees of ${size}: median wrong by ${median.toFixed(1)} years (adults ${priorMedian.toFixed(1)}), ` +
          `a person by ${person.toFixed(1)} (${priorPerson.toFixed(1)})`,
      );
      expect(median).toBeLessThan(priorMedian);
      expect(person).toBeLessThan(priorPerson);
    });

    it('are found for 1,000 simulated donors', () => {
      const { groupAges } = release.demographics;
      const random = randomNumbers(1);
      const drawer = new NameDrawer(release.tables.births, random);
      const adults = groupAges.adults(on);
      const bell = (mean: number, sd: number) => {
        const shares = adults.shares.map((_, at) => Math.exp(-0.5 * ((18 + at - mean) / sd) ** 2));
        return shares.map((share) => share / shares.reduce((sum, one) => sum + one, 0));
      };
      const errors: [number, number][] = [];
      for (const shares of [adults.shares, bell(60, 14), bell(50, 16), bell(38, 12)])
        for (let i = 0; i < 5; i++) {
          const people = Array.from({ length: 1000 }, () => {
            const name = drawer.name(18 + drawFrom(shares, random), on);
            return { name, on, people: 1 };
          });
          const group = groupAges.estimate(people, adults);
          const wrongBy = Math.abs(groupQuantile(group.shares, 0.5) - groupQuantile(shares, 0.5));
          errors.push([wrongBy, wasserstein(group.shares, shares)]);
        }
      const [median, distance] = [0, 1].map((at) => meanOf(errors.map((one) => one[at])));
      say(
        `1,000 simulated donors: median wrong by ${median.toFixed(2)} years, Wasserstein distance ${distance.toFixed(2)}`,
      );
      expect(median).toBeLessThanOrEqual(1);
      expect(distance).toBeLessThanOrEqual(2);
    });
  });
});

const known = ({ demographics }: Release) => ({
  ages: demographics.ages,
  parseName: (name: string) => demographics.parseName(name, 'IND', 2016).firstKey,
});

/** The birth table of some of its names; a step table of them all takes long to build. */
function onlyNames(births: BirthTable, keys: string[]): BirthTable {
  const cells: number[] = [];
  const rowStart = [0];
  for (const key of keys)
    for (const sex of [0, 1]) {
      const row = 2 * births.names.find(key) + sex;
      for (let cell = births.rowStart[row]; cell < births.rowStart[row + 1]; cell++) cells.push(cell);
      rowStart.push(cells.length);
    }
  return {
    ...births,
    names: PackedKeyIndex.build(keys),
    rowStart: Uint32Array.from(rowStart),
    yearOffset: Uint8Array.from(cells, (cell) => births.yearOffset[cell]),
    count: Uint32Array.from(cells, (cell) => births.count[cell]),
  };
}

async function contributionsOf(path: string, zip: Buffer): Promise<string> {
  const maxMemberBytes = 64 << 20;
  const contract = {
    wanted: /^itcont\.txt$/,
    tolerated: /./,
    maxMembers: 1,
    maxMemberBytes,
    maxTotalBytes: maxMemberBytes,
  };
  return (await unzip(path, zip, contract)).get('itcont.txt')?.toString('latin1') ?? '';
}
