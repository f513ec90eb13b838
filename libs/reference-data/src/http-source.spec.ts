import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { type Server, createServer } from 'node:http';
import { type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { compileRelease, SAMPLE_FOLDER } from './compile-release';
import { type SourceUrls, HttpSource, OFFICIAL, sourceUrlsFromBase } from './http-source';
import { CheckError } from './reference-data-error';
import { lifeTableNames } from './data-source';

const nothingKnown = { find: () => Promise.resolve(null), save: () => Promise.resolve(null) };

describe('official files over HTTP', () => {
  let server: Server;
  let base: string;
  let home: string;
  let missing: RegExp;
  let addresses: SourceUrls;

  /** A stand-in for the publishers: the sample's files, its life tables under the name of every edition. */
  beforeEach(async () => {
    home = mkdtempSync(join(tmpdir(), 'donorlens-http-'));
    missing = /^$/;
    server = createServer((request, response) => {
      const path = request.url ?? '';
      const file = join(SAMPLE_FOLDER, path.replace(/TR\d{4}/, 'TR0000'));
      if (missing.test(path) || !existsSync(file)) return void response.writeHead(404).end();
      response.end(readFileSync(file));
    });
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    addresses = sourceUrlsFromBase(base);
  });
  afterEach(async () => {
    server.closeAllConnections();
    await new Promise((closed) => server.close(closed));
    rmSync(home, { recursive: true });
  });

  const source = () => new HttpSource('the test', addresses, { home, log: nothingKnown, firstPauseMs: 1 });

  it('uses the edition of the worked examples, or the newest complete one', async () => {
    const editionOf = async () => (await source().fetch()).lifeTables.map(({ file }) => file.slice(-8, -4));
    expect(await editionOf()).toEqual(['2020', '2020', '2020', '2020']);
    missing = /M_Alt2_TR2020/;
    expect(await editionOf()).toEqual(['2026', '2026', '2026', '2026']);
    missing = /PerLifeTables/;
    await expect(editionOf()).rejects.toThrow('no complete edition of PerLifeTables');
  });

  it('uses another form of the income file if the first is missing, and reports that all are', async () => {
    addresses = { ...addresses, income: [`${base}/gone/est18all.txt`, `${base}/census/saipe/est18all.txt`] };
    missing = /gone/;
    expect((await source().fetch()).income.url).toBe(`${base}/census/saipe/est18all.txt`);
    missing = /est18all/;
    await expect(source().fetch()).rejects.toThrow('est18all.txt: was not found');
  });

  it('uses the newest available edition of the American Community Survey, and works without one', async () => {
    const year = jest.spyOn(Date.prototype, 'getUTCFullYear').mockReturnValue(2029);
    const { areaPeople, tractIncomes } = await source().fetch();
    expect(areaPeople).toMatchObject({ file: 'census/acs/acsdt5y2024-b03002.dat', length: 47_251 });
    expect(tractIncomes?.url).toBe(`${base}/census/acs/acsdt5y2024-b19013.dat`);
    missing = /acsdt5y/;
    expect(await source().fetch()).toMatchObject({ areaPeople: null, tractIncomes: null });
    year.mockRestore();
  });

  it('labels files of the publishers as official, and compares them with their editions', async () => {
    const official = source();
    expect(official.label).toBe('official');
    const files = await official.fetch();
    await expect(
      compileRelease(files, { label: official.label, createdAt: '2026-01-01T00:00:00Z', steps: false }),
    ).rejects.toThrow(CheckError);
  });

  it.each([
    ['surnames2020', 'census/surnames/2020/names.zip'],
    ['firstNames', 'dataverse/firstnames.csv'],
  ])('has %s only where the operator supplies them', async (name, file) => {
    const supplied = { [name]: true };
    await expect(HttpSource.official({ home, log: nothingKnown }).fetch({ supplied })).rejects.toThrow(
      `${file}: is not published at a known address`,
    );
    missing = new RegExp(file);
    await expect(source().fetch({ supplied })).rejects.toThrow(`${file}: was not found`);
  });

  it('uses https URLs of two hosts for the publishers', () => {
    const urls = [
      OFFICIAL.birthNames,
      OFFICIAL.surnames2000,
      OFFICIAL.surnames2010,
      OFFICIAL.counties,
      ...OFFICIAL.income,
      ...lifeTableNames(2020).map((name) => OFFICIAL.lifeTables(2020, name)),
      OFFICIAL.acs(2024, 'b03002'),
    ];
    expect([...new Set(urls.map((url) => new URL(url).origin))]).toEqual([
      'https://www.ssa.gov',
      'https://www2.census.gov',
    ]);
  });
});
