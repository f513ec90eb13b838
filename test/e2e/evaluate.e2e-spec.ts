import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type Evaluation } from '@donorlens/evaluation';
import { SAMPLE_FOLDER, openRelease } from '@donorlens/reference-data';
import { FIRST_NAMES_BY_RACE } from '../support/sample-data/first-names';
import { sampleBinary } from '../support/reference-data/sample-tables';
import { CLI, ROOT } from '../support/service/service';
import { OFFICIAL_DATA, describeWith } from '../support/tools';

const NO_HOME = join(tmpdir(), 'no-such-home');

/** Runs the built command without a running service. */
const run = (...args: string[]) => runIn(NO_HOME, ...args);

function runIn(home: string, ...args: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [CLI, 'evaluate', ...args], {
    encoding: 'utf8',
    env: { PATH: dirname(process.execPath), DONORLENS_HOME: home },
    timeout: 120_000,
  });
  return { status, stdout, stderr };
}

describeWith('official data')('donorlens evaluate, on members of Congress', () => {
  const members = [join(OFFICIAL_DATA, 'validation/congress-members.csv'), '--data-source', OFFICIAL_DATA];

  it('finds ages by group near the true ages; the ages by the specified rule are ten years too young', () => {
    const { status, stdout } = run(...members, '--json');
    expect(status).toBe(0);
    const { ages, rows } = JSON.parse(stdout) as Evaluation;
    const of = (basis: string) => ages!.bases.find((one) => one.basis === basis)!;
    const [adult, donors, group] = [of('adult'), of('donors'), of('group')];
    expect([rows, group.groups]).toEqual([4952, 19]);
    expect(adult.group_median_error).toBeGreaterThan(9.5);
    expect(adult.bias).toBeLessThan(-10);
    expect(donors.group_median_error).toBeLessThanOrEqual(2.5);
    expect(Math.abs(donors.bias)).toBeLessThanOrEqual(2.5);
    expect(group.group_median_error).toBeLessThanOrEqual(2.5);
    expect(Math.abs(group.bias)).toBeLessThanOrEqual(2);
    expect(group.mean_absolute_error).toBeLessThanOrEqual(9.6);
    expect(group.coverage).toBeGreaterThanOrEqual(0.5);
    expect(group.coverage).toBeLessThanOrEqual(0.7);
  });

  /** Written by: UPDATE_DOCS=1 npm test -- test/e2e/evaluate */
  it('prints the tables of the method page', () => {
    const page = join(ROOT, 'docs/method.md');
    const [begin, end] = ['<!-- evaluation of ages -->\n\n', '\n<!-- end of evaluation of ages -->'];
    const [before, rest] = readFileSync(page, 'utf8').split(begin);
    const [inDocs, after] = rest.split(end);
    const { stdout } = run(...members, '--markdown');
    if (process.env.UPDATE_DOCS === '1') writeFileSync(page, before + begin + stdout + end + after);
    else expect(inDocs).toBe(stdout);
  });
});

describe('donorlens evaluate', () => {
  let folder: string;
  beforeAll(() => (folder = mkdtempSync(join(tmpdir(), 'donorlens-evaluate-'))));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const file = (text: string): string => {
    const path = join(folder, 'truth.csv');
    writeFileSync(path, text);
    return path;
  };

  it('prints tables and a chart', () => {
    const rows = 'first_name,surname,age,gender,race\nMary,Garcia,50,f,hispanic\nJames,Smith,61,m,white\n';
    const { status, stdout } = run(file(rows), '--date', '2016-03-01', '--data-source', SAMPLE_FOLDER);
    expect(status).toBe(0);
    expect(stdout).toContain('2 rows, 2 with a known first name, 2 with a known surname, 0 invalid; data release');
    for (const title of ['Ages, in years', 'Gender by name', 'Ethnicity by surname: calibration', '50 to 59 '])
      expect(stdout).toContain(`\n${title}`);
    expect(stdout).toContain('█');
    expect(stdout).toContain('Basis donors: the people of the file stand for the stored donors');
    expect(stdout).toContain('Basis place is not measured: no row has a place of the data release');
  });

  it('measures the files that the operator supplies, on request', () => {
    const source = join(folder, 'source');
    cpSync(SAMPLE_FOLDER, source, { recursive: true });
    mkdirSync(join(source, 'dataverse'));
    writeFileSync(join(source, FIRST_NAMES_BY_RACE.file), FIRST_NAMES_BY_RACE.bytes);
    const people = file('first_name,surname,tract,date,race\nMary,Smith,09001000100,2016-03-01,black\n');
    const lossByPlace = (...args: string[]): number => {
      const { ethnicity } = JSON.parse(run(people, '--json', '--data-source', source, ...args).stdout) as Evaluation;
      return ethnicity!.find(({ basis }) => basis === 'place')!.log_loss;
    };
    const without = lossByPlace('--first-names', 'none');
    expect(lossByPlace()).toBe(without);
    expect(lossByPlace('--first-names', 'race')).toBeLessThan(without); // 40 % of the bearers of Mary are black, of all 10 %
    expect(run(people, '--first-names', 'race')).toEqual({
      ...{ status: 2, stdout: '' },
      stderr: '--surnames and --first-names need --data-source FOLDER\n',
    });
    const { status, stderr } = run(people, '--data-source', source, '--surnames', '2020');
    expect([status, stderr.split('/source/').at(-1)]).toEqual([
      3,
      'census/surnames/2020/names.zip: is missing: add it, or use --surnames 2010\n',
    ]);
  });

  it('uses the data release that was active last on this machine', async () => {
    const binary = await sampleBinary();
    const { id, sha256 } = openRelease(binary);
    const releases = join(folder, 'home/releases');
    mkdirSync(releases, { recursive: true });
    writeFileSync(join(releases, `${sha256}.release`), binary);
    writeFileSync(join(releases, 'active'), sha256);
    const { status, stdout } = runIn(join(folder, 'home'), file('first_name,gender\nMary,f\n'), '--json');
    expect([status, JSON.parse(stdout)]).toEqual([0, expect.objectContaining({ data_release: id, rows: 1 })]);
  });

  it('ends with exit code 2 and names the columns that the file needs', () => {
    const path = file('first_name,shoe_size\nMary,39\n');
    expect(run(path)).toEqual({
      status: 2,
      stdout: '',
      stderr: `${path}: a truth file needs first_name, surname or contributor_name, and one of: birth_date or age with a date, gender, race; its columns: first_name, shoe_size\n`,
    });
    expect(run(join(folder, 'none.csv'))).toMatchObject({ status: 2, stdout: '' });
  });

  it('ends with exit code 3 without a data release', () => {
    const { status, stderr } = run(file('first_name,gender\nMary,f\n'));
    expect(status).toBe(3);
    expect(stderr).toContain('has no data release: run npm start once, or pass --data-source FOLDER');
  });
});
