import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SourceError } from '@donorlens/downloads';
import { FolderSource, lifeTableNames } from './data-source';
import { sha256 } from './releases/release-binary';
import { CheckError } from './reference-data-error';
import { SAMPLE_FOLDER, compileFolder } from './compile-release';

describe('a folder of official files', () => {
  let folder: string;
  const at = (path: string) => join(folder, path);
  const fetched = async () => (await FolderSource.open(folder)).fetch();

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'donorlens-folder-'));
    cpSync(SAMPLE_FOLDER, folder, { recursive: true });
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it('is a sample if it has the marker, else a folder', async () => {
    expect((await FolderSource.open(folder)).label).toBe('sample');
    rmSync(at('sample.json'));
    expect((await FolderSource.open(folder)).label).toBe('folder');
  });

  it('is compared with the published editions unless it is marked as a sample', async () => {
    rmSync(at('sample.json'));
    const result = compileFolder(folder, { steps: false });
    await expect(result).rejects.toThrow(CheckError);
    await expect(result).rejects.toThrow(/first names is \d+, expected 90000 to 200000.*Mary|mary F 1880 is \d+/);
  });

  it('uses the newest edition of the life tables with all four files', async () => {
    for (const name of lifeTableNames(0)) {
      cpSync(at(`ssa/lifetables/${name}`), at(`ssa/lifetables/${name.replace('TR0000', 'TR2020')}`));
      cpSync(at(`ssa/lifetables/${name}`), at(`ssa/lifetables/${name.replace('TR0000', 'TR2026')}`));
    }
    rmSync(at('ssa/lifetables/PerLifeTables_M_Alt2_TR2026.csv'));
    const files = (await fetched()).lifeTables.map(({ file }) => file);
    expect(files).toEqual(lifeTableNames(2020).map((name) => `ssa/lifetables/${name}`));
  });

  it('takes the forms of the income file in order: text, CSV, sheet', async () => {
    writeFileSync(at('census/saipe/est18all.xls'), 'x');
    writeFileSync(at('census/saipe/est18all.csv'), 'x');
    for (const form of ['txt', 'csv', 'xls']) {
      expect((await fetched()).income.file).toBe(`census/saipe/est18all.${form}`);
      rmSync(at(`census/saipe/est18all.${form}`));
    }
  });

  it('uses the newest edition of each ACS table, if there is one', async () => {
    writeFileSync(at('census/acs/acsdt5y2025-b03002.dat'), 'newer');
    writeFileSync(at('census/acs/acsdt5yLast-b03002.dat'), 'no edition');
    const { areaPeople, tractIncomes } = await fetched();
    expect(areaPeople).toMatchObject({ file: 'census/acs/acsdt5y2025-b03002.dat', length: 5 });
    expect(areaPeople?.sha256).toBe(sha256(Buffer.from('newer')));
    expect(tractIncomes?.sha256).toBe(sha256(readFileSync(at('census/acs/acsdt5y2024-b19013.dat'))));
    rmSync(at('census/acs'), { recursive: true });
    expect(await fetched()).toMatchObject({ areaPeople: null, tractIncomes: null });
  });

  it('names what is missing', async () => {
    await expect(FolderSource.open(at('nowhere'))).rejects.toThrow(`${at('nowhere')}: is not a readable folder`);
    await expect(FolderSource.open(at('sample.json'))).rejects.toThrow(SourceError);
    rmSync(at('census/surnames/2000/names.zip'));
    await expect(fetched()).rejects.toThrow(`${at('census/surnames/2000/names.zip')}: is missing`);
    mkdirSync(at('census/surnames/2000/names.zip'));
    await expect(fetched()).rejects.toThrow('is not a file');
  });

  it('names the life tables and the income file when they are missing', async () => {
    rmSync(at('census/saipe'), { recursive: true });
    await expect(fetched()).rejects.toThrow('est18all.txt: is missing, and so are its other forms');
    rmSync(at('ssa/lifetables'), { recursive: true });
    await expect(fetched()).rejects.toThrow('the four files PerLifeTables_{F,M}_{Hist,Alt2}_TRyyyy.csv of one edition');
  });

  it('does not read a file that is longer than any published one', async () => {
    truncateSync(at('ssa/names.zip'), (64 << 20) + 1);
    await expect(fetched()).rejects.toThrow('ssa/names.zip: has more than 67108864 bytes');
  });
});
