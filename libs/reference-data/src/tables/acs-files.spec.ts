import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  AreaTable,
  type EthnicGeography,
  type FirstNamePeople,
  emptyPlaceEthnicity,
  placeEthnicity,
} from '@donorlens/demographics';
import { acsHeader, acsRow, peopleRow } from '../../../../test/support/sample-data/areas';
import { seeded } from '../../../../test/support/seeded';
import { OFFICIAL_DATA, describeWith } from '../../../../test/support/tools';
import { type AcsFile, readAreaPeople, readTractIncomes } from './acs-files';

const NATION = peopleRow('0100000US', [600_000, 100_000, 10_000, 40_000, 10_000, 5_000, 20_000, 200_000]);
const HEADER = acsHeader('B03002', 21);

describe('table B03002 of the American Community Survey', () => {
  let folder: string;
  beforeAll(() => (folder = mkdtempSync(join(tmpdir(), 'donorlens-acs-'))));
  afterAll(() => rmSync(folder, { recursive: true }));

  const fileOf = (...lines: string[]): AcsFile => {
    const path = join(folder, 'acs.dat');
    writeFileSync(path, `${lines.join('\n')}\n`);
    return { file: 'acs.dat', path };
  };

  it('keeps nation, counties, tracts and ZCTAs, ordered by code, and counts Asian and Pacific Islander as one group', async () => {
    const people = await readAreaPeople(
      fileOf(
        HEADER,
        NATION,
        peopleRow('0400000US10', [1, 1, 1, 1, 1, 1, 1, 1]),
        peopleRow('1500000US100010001001', [1, 1, 1, 1, 1, 1, 1, 1]),
        peopleRow('0100001US', [1, 1, 1, 1, 1, 1, 1, 1]),
        peopleRow('1400000US10003000200', [1, 0, 0, 0, 0, 0, 0, 0]),
        peopleRow('1400000US10001000100', [70, 20, 1, 3, 2, 0, 4, 30]),
        peopleRow('0500000US10001', [700, 200, 10, 30, 20, 0, 40, 300]),
        peopleRow('860Z200US01001', [7, 2, 1, 3, 2, 0, 4, 3]),
      ),
    );
    expect(people.rows).toBe(5);
    expect([...people.tract.codes]).toEqual([10_001_000_100, 10_003_000_200]);
    expect([...people.tract.values.slice(0, 6)]).toEqual([7000, 2000, 500, 100, 400, 3000]);
    expect([[...people.county.codes], [...people.zcta.codes]]).toEqual([[10_001], [1_001]]);
  });

  it('spreads people of some other race over the groups that are not Hispanic, in proportion', async () => {
    // 60, 20, 4, 12 + 2 and 2 are 100; of 10 others they get 6, 2, 0.4, 1.4 and 0.2.
    const row = peopleRow('0500000US10001', [60, 20, 4, 12, 2, 10, 2, 50]);
    const none = peopleRow('0500000US10003', [0, 0, 0, 0, 0, 10, 0, 50]);
    const { county } = await readAreaPeople(fileOf(HEADER, NATION, row, none));
    expect([...county.values]).toEqual([6600, 2200, 1540, 440, 220, 5000, 0, 0, 0, 0, 0, 5000]);
  });

  it('omits an area with a negative or empty estimate', async () => {
    const annotated = peopleRow('0500000US10001', [60, -555_555_555, 4, 12, 2, 10, 2, 50]);
    const empty = peopleRow('0500000US10003', [60, 1, 4, 12, 2, 10, 2, 77]).replace('|77|', '||');
    const { county } = await readAreaPeople(fileOf(HEADER, NATION, annotated, empty));
    expect(county.codes).toHaveLength(0);
  });

  it.each<[string, string[], string]>([
    ['another header', ['GEO_ID|B03002_E001', NATION], 'acs.dat line 1: the header must begin with GEO_ID|'],
    ['no nation', [HEADER], 'acs.dat: has no row 0100000US'],
    [
      'text as an estimate',
      [HEADER, NATION.replace('|600000|', '|many|')],
      'line 2: an estimate is not a whole number',
    ],
    ['a line that is cut', [HEADER, '0100000US|1|2'], 'line 2: an estimate is not a whole number'],
    ['a code that is cut', [HEADER, NATION.replace('0100000US', '1400000US10001')], 'has not 11 digits'],
    [
      'an area twice',
      [HEADER, NATION, ...Array<string>(2).fill(NATION.replace('0100000US', '0500000US10001'))],
      'twice',
    ],
  ])('is refused with %s', async (_, lines, message) => {
    await expect(readAreaPeople(fileOf(...lines))).rejects.toThrow(message);
  });

  it('gives incomes of tracts from table B19013, except annotations', async () => {
    const incomes = await readTractIncomes(
      fileOf(
        acsHeader('B19013', 1),
        acsRow('1400000US10001000200', [52_000]),
        acsRow('1400000US10001000100', [-666_666_666]),
        acsRow('0500000US10001', [60_000]),
      ),
    );
    expect([[...incomes.codes], [...incomes.values]]).toEqual([[10_001_000_200], [52_000]]);
    expect(incomes.indexOf(10_001_000_200)).toBe(0);
  });

  describeWith('python3')('in Python', () => {
    it('gives the same estimates of 10,000 rows with tracts, ZCTAs, counties and none of them', async () => {
      const random = seeded(23);
      const people = () => Array.from({ length: 8 }, () => Math.floor(2000 * random() ** 4));
      const codes = Array.from({ length: 40 }, (_, at) => String(10_001 + at));
      const tracts = codes.slice(0, 30).flatMap((fips) => ['000100', '000200', '000300'].map((tract) => fips + tract));
      const file = fileOf(
        HEADER,
        NATION,
        ...codes.slice(5).map((fips) => peopleRow(`0500000US${fips}`, people())),
        ...tracts.map((code, at) => peopleRow(`1400000US${code}`, at % 9 === 0 ? Array<number>(8).fill(0) : people())),
        ...codes.map((zip) => peopleRow(`860Z200US${zip}`, people())),
      );
      const pick = (list: readonly string[]) => list[Math.floor(random() * list.length)];
      const rows = Array.from({ length: ROWS }, () => ({
        shares: sharesOf(random),
        fips: pick([...codes, '']),
        tract: pick(['000100', '000200', '000300', '999999', '']),
        zip: pick([...codes, '99999', '']),
        name: Math.floor(30 * random()) - 10,
      }));
      const levels = await agreement(file, rows, firstNamesOf(random));
      expect([...levels.keys()].sort()).toEqual(['county', 'surname', 'tract', 'zcta']);
    });
  });

  describeWith('python3', 'official data')('with the ZCTAs of the country, in Python', () => {
    it('gives the same estimates of 10,000 rows', async () => {
      const file = { file: 'acs.dat', path: join(OFFICIAL_DATA, 'census/acs/acsdt5y2024-b03002.dat') };
      const random = seeded(24);
      const zips = readFileSync(file.path, 'latin1').match(/(?<=860Z200US)\d{5}/g) ?? [];
      expect(zips).toHaveLength(32_976);
      const rows = Array.from({ length: ROWS }, () => ({
        shares: sharesOf(random),
        fips: '',
        tract: '',
        zip: zips[Math.floor(random() * zips.length)],
        name: -1,
      }));
      expect(await agreement(file, rows)).toEqual(new Map([['zcta', ROWS]]));
    });
  });
});

const ROWS = 10_000;

interface Row {
  readonly shares: readonly number[];
  readonly fips: string;
  readonly tract: string;
  readonly zip: string;
  /** first name, -1 for an unknown one; those from 10 on are not listed */
  readonly name: number;
}

/** Six hundredths of a percent that add up to about 100. */
function sharesOf(random: () => number): number[] {
  const weights = Array.from({ length: 6 }, () => random() ** 3);
  const total = weights.reduce((a, b) => a + b);
  return weights.map((weight) => Math.floor((10_000 * weight) / total));
}

/** People of ten first names by group, one name without any; all people are those of the names and others. */
function firstNamesOf(random: () => number): FirstNamePeople {
  const values = Uint32Array.from({ length: 60 }, (_, at) => (at < 6 ? 0 : 100 * Math.floor(3000 * random() ** 4)));
  const all = Float64Array.from({ length: 6 }, (_, group) =>
    values.reduce((sum, people, at) => sum + (at % 6 === group ? people : 0), 100_000 * (group + 1)),
  );
  return {
    names: new AreaTable(
      Float64Array.from({ length: 10 }, (_, name) => name),
      values,
      1,
    ),
    all,
  };
}

/** Reads the file and the rows on its own, in exact fractions. */
const PROGRAM = `
import json, sys
from fractions import Fraction
kept, nation = {}, None
with open(sys.argv[1], encoding='latin1') as lines:
    names = next(lines).rstrip('\\n').split('|')
    for line in lines:
        cells = dict(zip(names, line.rstrip('\\n').split('|')))
        value = lambda n: int(cells['B03002_E%03d' % n])
        people = [value(3), value(4), value(6) + value(7), value(5), value(9)]
        known = sum(people)
        people = [Fraction(p) + (Fraction(p * value(8), known) if known else 0) for p in people] + [Fraction(value(12))]
        level, code = cells['GEO_ID'].split('US')
        if level == '0100000': nation = people
        else: kept[{'0500000': 'county', '1400000': 'tract', '860Z200': 'zcta'}[level], code] = people

asked = json.load(sys.stdin)

def likelihoods(people, parent, everyone):
    if sum(parent) == 0: parent = [Fraction(0)] * 6
    return [(p + 5 * q / (sum(parent) or 1)) / (n + 5) for p, q, n in zip(people, parent, everyone)]

def posterior(row):
    fips, tract, zipcode = row['fips'], row['tract'], row['zip']
    for level, code in (('tract', fips + tract if fips and tract else ''), ('zcta', zipcode), ('county', fips)):
        area = kept.get((level, code))
        if area is None: continue
        parent = kept.get(('county', fips), nation) if level == 'tract' else nation
        here = [s * l for s, l in zip(row['shares'], likelihoods(area, parent, nation))]
        if asked['all'] and 0 <= row['name'] < len(asked['names']):
            everyone = [Fraction(n, 100) for n in asked['all']]
            named = [Fraction(n, 100) for n in asked['names'][row['name']]]
            here = [h * l for h, l in zip(here, likelihoods(named, everyone, everyone))]
        if sum(here) > 0: return [level] + [float(10000 * h / sum(here)) for h in here]
    return ['surname'] + row['shares']

print(json.dumps([posterior(row) for row in asked['rows']]))
`;

/**
 * Holds the estimates of the rows against the program's: usually to the hundredth of a percent to which they are rounded,
 * in areas of a few people to 0.05, since people are stored in hundredths.
 * @returns rows by basis
 */
async function agreement(
  file: AcsFile,
  rows: readonly Row[],
  firstNames: FirstNamePeople | null = null,
): Promise<Map<string, number>> {
  const geography: EthnicGeography = { ...(await readAreaPeople(file)), otherNames: new Uint16Array(6), firstNames };
  const people = [...(firstNames?.names.values ?? [])];
  const names = Array.from({ length: people.length / 6 }, (_, name) => people.slice(6 * name, 6 * name + 6));
  const input = JSON.stringify({ rows, names, all: firstNames && [...firstNames.all] });
  const options = { input, encoding: 'utf8', maxBuffer: 1 << 26 } as const;
  const expected = JSON.parse(execFileSync('python3', ['-c', PROGRAM, file.path], options)) as [string, ...number[]][];
  const result = emptyPlaceEthnicity();
  const counts = new Map<string, number>();
  let [rough, furthest] = [0, 0];
  const bases = rows.map(({ shares, name, ...place }, at) => {
    const looked = { pctHundredths: shares, race: null, isSurnameUnlisted: false, nameIndex: name };
    placeEthnicity(looked, place, geography, result);
    const [basis, ...pct] = expected[at];
    const far = Math.max(...pct.map((one, group) => Math.abs(one - (result.pctHundredths?.[group] ?? NaN))));
    furthest = Math.max(furthest, far);
    if (far > 1) rough++;
    counts.set(basis, (counts.get(basis) ?? 0) + 1);
    return result.ethnicityBasis;
  });
  expect(bases).toEqual(expected.map(([basis]) => basis));
  expect(furthest).toBeLessThanOrEqual(5);
  expect(rough).toBeLessThan(rows.length / 100);
  return counts;
}
