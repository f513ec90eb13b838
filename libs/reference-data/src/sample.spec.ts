import { readFileSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { emptyEthnicity, surnameEthnicity } from '@donorlens/demographics';
import { civilDay } from '@donorlens/primitives';
import { sampleFiles } from '../../../test/support/sample-data/make-sample';
import { type Release, openRelease } from './releases/release';
import {
  NO_AREA_PEOPLE,
  NO_TRACT_INCOMES,
  NO_ZIP_COUNTIES,
  SAMPLE_FOLDER,
  compileFolder,
  compileRelease,
  missingParts,
  sampleSource,
} from './compile-release';

describe('the sample', () => {
  let release: Release;
  const made = sampleFiles();

  beforeAll(async () => {
    release = openRelease(await compileFolder(SAMPLE_FOLDER, { steps: false }));
  });

  it('is what its script writes, byte for byte', () => {
    for (const [path, bytes] of made)
      expect([path, readFileSync(join(SAMPLE_FOLDER, path)).equals(bytes)]).toEqual([path, true]);
    const there = readdirSync(SAMPLE_FOLDER, { recursive: true, encoding: 'utf8' });
    const files = there.filter((path) => statSync(join(SAMPLE_FOLDER, path)).isFile());
    expect(files.sort()).toEqual([...made.keys()].sort());
  });

  it('is small', () => {
    const sizes = [...made.values()].map((bytes) => bytes.length);
    expect(Math.max(...sizes)).toBeLessThan(1_000_000);
    expect(sizes.reduce((sum, size) => sum + size)).toBeLessThan(2_100_000);
  });

  it('passes the loaders of the official files and is labeled as a sample', () => {
    expect([release.label, release.id]).toEqual(['sample', expect.stringMatching(/^sample\.[0-9a-f]{6}$/)]);
    expect([release.firstDataYear, release.lastDataYear]).toEqual([1880, 2023]);
    expect(release.tables.births.names.size).toBeGreaterThan(250);
    expect([release.tables.surnames2000.names.size, release.tables.surnames2010.names.size]).toEqual([300, 300]);
    expect(release.tables.life.q).toHaveLength(2 * 196 * 120);
    expect(release.counties.size).toBe(31);
  });

  it('follows the rules: older names belong to older people', () => {
    const { ages } = release.demographics;
    const ageOf = (name: string) => ages.ageAt(ages.nameIndex(name), civilDay(2016, 7, 1));
    expect([ageOf('Linda'), ageOf('Jennifer'), ageOf('Ashley'), ageOf('Noah')]).toEqual(
      [ageOf('Linda'), ageOf('Jennifer'), ageOf('Ashley'), ageOf('Noah')].sort((a, b) => b - a),
    );
    expect(ages.genderOf(ages.nameIndex('James'), civilDay(2016, 7, 1))).toBe('m');
    expect(surnameEthnicity('Garcia', 2016, release.demographics, emptyEthnicity()).surnameTable?.census).toBe(2010);
  });

  it('has every county of five states, one of them without an estimate', () => {
    expect(release.counties.find('10001')).toMatchObject({ name: 'Kent County', stateUsps: 'DE' });
    expect(release.counties.find('15005')).toMatchObject({ name: 'Kalawao County', medianHouseholdIncome: null });
    expect(release.counties.find('06037')).toBeNull();
  });

  it('has the county of some ZIPs and people of areas; a release without the files has none, and its compiler says so', async () => {
    expect(release.counties.findZip('06150')).toMatchObject({ county: { name: 'Hartford County' }, sharePct: 100 });
    expect([release.counties.findZip('06111'), release.counties.findZip('')]).toEqual([null, null]);
    expect(release.provenance).toContainEqual(
      expect.objectContaining({ file: 'census/geo/zcta_county_rel_10.txt', rows: 222 }),
    );
    expect(release.geography?.otherNames).toEqual(Uint16Array.of(6700, 800, 800, 100, 200, 1400));
    const counts = [release.geography?.county, release.geography?.tract, release.geography?.zcta, release.tractIncomes];
    expect(counts.map((table) => table?.codes.length)).toEqual([31, 124, 220, 124]);
    expect(missingParts(release.provenance)).toEqual([]);
    const said: string[] = [];
    const optional = { zipCounties: null, areaPeople: null, tractIncomes: null };
    const files = { ...(await (await sampleSource()).fetch()), ...optional };
    const options = {
      label: 'sample',
      createdAt: '',
      steps: false,
      onProgress: (step: string) => said.push(step),
    } as const;
    const without = openRelease(await compileRelease(files, options));
    expect(without.counties.findZip('06150')).toBeNull();
    expect(without.counties.find('09003')).toEqual(release.counties.find('09003'));
    expect(without.id).not.toBe(release.id);
    expect([without.geography, without.tractIncomes]).toEqual([null, null]);
    expect(said).toEqual(expect.arrayContaining([NO_ZIP_COUNTIES, NO_AREA_PEOPLE, NO_TRACT_INCOMES]));
    expect(missingParts(without.provenance)).toEqual([NO_ZIP_COUNTIES, NO_AREA_PEOPLE, NO_TRACT_INCOMES]);
  });
});
