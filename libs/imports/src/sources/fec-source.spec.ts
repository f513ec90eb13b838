import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { type Server, createServer } from 'node:http';
import { type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { SourceError } from '@donorlens/downloads';
import { fecSource, officialAddress } from './fec-http';
import { type FecSource, missingContributions } from './fec-source';

const CN16 = { cycle: 2016, kind: 'cn' } as const;
const nothingKnown = { find: () => Promise.resolve(null), save: () => Promise.resolve(null) };
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

describe('files of the FEC', () => {
  let home: string;
  let folder: string;

  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), 'donorlens-home-'));
    folder = mkdtempSync(join(tmpdir(), 'donorlens-fec-'));
  });
  afterEach(() => [home, folder].forEach((path) => rmSync(path, { recursive: true })));

  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  };
  const at = (dataSource: string | undefined) => fecSource({ dataSource, home }, nothingKnown);
  const found = async (source: Promise<FecSource | null>): Promise<FecSource> => (await source)!;

  it('come from the FEC by default', () => {
    expect(
      [CN16, { cycle: 2008, kind: 'indiv' } as const, { cycle: 2000, kind: 'ccl' } as const, { day: '20180616' }].map(
        officialAddress,
      ),
    ).toEqual([
      'https://www.fec.gov/files/bulk-downloads/2016/cn16.zip',
      'https://www.fec.gov/files/bulk-downloads/2008/indiv08.zip',
      'https://www.fec.gov/files/bulk-downloads/2000/ccl00.zip',
      'https://www.fec.gov/files/bulk-downloads/electronic/20180616.zip',
    ]);
  });

  it('are labelled official, and requested for every cycle since the first', async () => {
    const source = await found(at(undefined));
    expect(source.label).toBe('official');
    expect((await source.cycles()).slice(0, 3)).toEqual([1980, 1982, 1984]);
    expect((await source.cycles()).at(-1)! % 2).toBe(0);
  });

  it('come from a folder in the layout of the publishers', async () => {
    for (const path of ['2020/cn20.zip', '2016/cn16.zip', 'efiling/20180616.zip', 'headers/cn.csv', '2015/x'])
      write(`fec/${path}`, path);
    const source = await found(at(folder));
    expect([source.label, await source.cycles()]).toEqual(['folder', [2016, 2020]]);
    expect(await source.file(CN16)).toMatchObject({ bytes: 13, sha256: sha256('2016/cn16.zip') });
    expect((await source.file({ day: '20180616' }))?.source).toMatch(/^file:.*\/fec\/efiling\/20180616\.zip$/);
    expect([await source.file({ cycle: 2016, kind: 'cm' }), await source.file({ day: '20200101' })]).toEqual([
      null,
      null,
    ]);
  });

  it('are a sample if the folder has its marker; a folder without FEC files is no source', async () => {
    write('ssa/names.zip', 'x');
    expect(await at(folder)).toBeNull();
    write('fec/2016/cn16.zip', 'x');
    write('sample.json', '{}');
    expect((await found(at(folder))).label).toBe('sample');
    await expect(at(join(folder, 'nowhere'))).rejects.toThrow(SourceError);
  });

  it('of contributions that a folder lacks are reported with path and option for another file', async () => {
    write('fec/2016/cn16.zip', 'x');
    expect(missingContributions(await found(at(folder)), 2016)).toBe(
      `${folder} has no fec/2016/indiv16.zip: add the file, or load another with ` +
        'bin/donorlens import fec --cycle 2016 --contributions FILE',
    );
    expect(missingContributions(await found(at(undefined)), 2026)).toBe(
      'the FEC has published no contributions of 2026 yet',
    );
  });

  it('are rejected if they are no files or too large', async () => {
    write('fec/2016/cn16.zip/x', 'a folder');
    write('fec/2016/cm16.zip', '');
    truncateSync(join(folder, 'fec/2016/cm16.zip'), 64 * 2 ** 20 + 1);
    const source = await found(at(folder));
    await expect(source.file(CN16)).rejects.toThrow('is not a file');
    await expect(source.file({ cycle: 2016, kind: 'cm' })).rejects.toThrow('has more than 67108864 bytes');
  });

  describe('over HTTP', () => {
    let server: Server;
    let base: string;

    beforeEach(async () => {
      server = createServer((request, response) => {
        try {
          response.end(readFileSync(join(folder, request.url!)));
        } catch {
          response.writeHead(404).end();
        }
      });
      await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
      base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    });
    afterEach(async () => {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    });

    it('come from a copy of the layout below one URL', async () => {
      expect(await at(base)).toBeNull();
      write('fec/2016/cn16.zip', 'zipped');
      const source = await found(at(`${base}/`));
      expect(source.label).toBe('folder');
      const file = await source.file(CN16);
      expect(file).toMatchObject({ source: `${base}/fec/2016/cn16.zip`, sha256: sha256('zipped') });
      expect(readFileSync(file!.path, 'utf8')).toBe('zipped');
      expect(await source.file({ cycle: 2016, kind: 'indiv' })).toBeNull();
      write('sample.json', '{}');
      expect((await found(at(base))).label).toBe('sample');
    });

    it('can be aborted', async () => {
      write('fec/2016/cn16.zip', 'zipped');
      const source = await found(at(base));
      await expect(source.file(CN16, { signal: AbortSignal.abort() })).rejects.toThrow('was given up');
    });
  });
});
