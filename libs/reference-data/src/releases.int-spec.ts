import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { type Server, createServer } from 'node:http';
import { readFile } from 'node:fs/promises';
import { type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type PoolClient } from 'pg';
import { createLogger } from '@donorlens/observability';
import { type TestDatabase, testDatabase } from '../../../test/support/servers';
import { FIRST_NAMES_BY_RACE, birthFiles } from '../../../test/support/sample-data/first-names';
import { storedZip } from '../../../test/support/sample-data/stored-zip';
import { dataSource } from './http-source';
import { FolderSource } from './data-source';
import { StaleFenceError } from '@donorlens/database';
import { SourceFileRepository, unzip } from '@donorlens/downloads';
import { UnknownReleaseError } from './reference-data-error';
import { type RefreshReport, ensureSample, refresh } from './refresh';
import { type Release, openRelease } from './releases/release';
import { ReleaseCache } from './releases/release-cache';
import { ReleaseHolder } from './releases/release-holder';
import { ReleaseRepository } from './releases/release.repository';
import { SAMPLE_FOLDER, compileFolder, sampleSource } from './compile-release';

const logger = createLogger('test', 'silent');
const steps = false; // the step table is not what is tested here, and building it is what takes time

describe('releases in Postgres', () => {
  let db: TestDatabase;
  let repository: ReleaseRepository;
  let home: string;
  let binary: Uint8Array<ArrayBuffer>;
  let sample: Release;

  beforeAll(async () => {
    binary = await compileFolder(SAMPLE_FOLDER, { steps: false });
    sample = openRelease(binary);
  });
  beforeEach(async () => {
    db = await testDatabase();
    repository = new ReleaseRepository(db.pool);
    home = mkdtempSync(join(tmpdir(), 'donorlens-home-'));
  });
  afterEach(async () => {
    await db.close();
    rmSync(home, { recursive: true });
  });

  const states = async () => Object.fromEntries((await repository.list()).map(({ id, state }) => [id, state]));
  /** Releases of one binary under several ids, a day apart. */
  const storeAs = (id: string, day: number) =>
    repository.store({ ...sample, id, createdAt: `2026-01-${String(day).padStart(2, '0')}T00:00:00Z` }, binary);

  it('stores the binary in parts and gives the same bytes back, through the disk', async () => {
    expect([await repository.store(sample, binary), await repository.store(sample, binary)]).toEqual([true, false]);
    const parts: Buffer[] = [];
    for await (const part of repository.parts(sample.id)) parts.push(part);
    expect(Buffer.concat(parts).equals(binary)).toBe(true);
    expect(Math.max(...parts.map((part) => part.length))).toBeLessThanOrEqual(1 << 20);
    const loaded = await new ReleaseCache(home, repository).load(sample.id);
    expect([loaded.id, loaded.sha256]).toEqual([sample.id, sample.sha256]);
    expect(await repository.find(sample.id)).toMatchObject({ label: 'sample', readable: true, state: 'stored' });
  });

  it('fetches a cached file again when it is damaged, cut or of another release', async () => {
    await repository.store(sample, binary);
    const cache = new ReleaseCache(home, repository);
    await cache.load(sample.id);
    const [file] = readdirSync(join(home, 'releases'));
    const damaged = Buffer.from(binary);
    damaged[binary.length >> 1] ^= 1;
    for (const bytes of [damaged, binary.subarray(0, 1000), Buffer.alloc(0)]) {
      writeFileSync(join(home, 'releases', file), bytes);
      expect((await cache.load(sample.id)).id).toBe(sample.id);
      expect((await readFile(join(home, 'releases', file))).equals(binary)).toBe(true);
    }
    expect(readdirSync(join(home, 'releases'))).toEqual([file]);
  });

  it('is read into memory if the disk is not writable, and logs that', async () => {
    await repository.store(sample, binary);
    const noFolder = join(home, 'a-file');
    writeFileSync(noFolder, '');
    const said: string[] = [];
    const cache = new ReleaseCache(noFolder, repository, (message) => said.push(message));
    expect((await cache.load(sample.id)).sha256).toBe(sample.sha256);
    await cache.store(sample, binary);
    expect(said).toHaveLength(2);
    expect(said[0]).toContain('(ENOTDIR): it is read from the database at each start');
  });

  it('removes cached files of deleted releases', async () => {
    await repository.store(sample, binary);
    const cache = new ReleaseCache(home, repository);
    await cache.load(sample.id);
    writeFileSync(join(home, 'releases', `${'0'.repeat(64)}.release`), 'old');
    await cache.recordActiveAndPrune(sample);
    expect(new Set(readdirSync(join(home, 'releases')))).toEqual(new Set(['active', `${sample.sha256}.release`]));
  });

  it('activates by one move of the pointer and keeps the two releases before it', async () => {
    for (const day of [1, 2, 3, 4]) {
      await storeAs(`r${day}`, day);
      await repository.activate(`r${day}`);
    }
    expect(await states()).toEqual({ r4: 'active', r3: 'kept', r2: 'kept' });
    const { rows } = await db.pool.query('select version_id, previous_id, epoch from pointer');
    expect(rows).toEqual([{ version_id: 'r4', previous_id: 'r3', epoch: '4' }]);
    expect((await repository.active())?.id).toBe('r4');
    await expect(repository.activate('r9')).rejects.toThrow(UnknownReleaseError);
    expect(await repository.activeId()).toBe('r4');
  });

  it('rolls back to earlier releases, and reports that there is none', async () => {
    for (const day of [1, 2, 3]) {
      await storeAs(`r${day}`, day);
      await repository.activate(`r${day}`);
    }
    expect([await repository.rollback(), await repository.rollback()]).toEqual(['r2', 'r1']);
    expect(await states()).toEqual({ r3: 'withdrawn', r2: 'withdrawn', r1: 'active' });
    await expect(repository.rollback()).rejects.toThrow(UnknownReleaseError);
    await repository.activate('r3');
    expect(await states()).toEqual({ r3: 'active', r2: 'withdrawn', r1: 'kept' });
  });

  describe('a release that a batch began with', () => {
    const activateNewer = async (days: readonly number[]) => {
      for (const day of days) {
        await storeAs(`r${day}`, day);
        await repository.activate(`r${day}`);
      }
    };
    const beginBatch = (client: Pick<PoolClient, 'query'>, state: string) =>
      client.query(
        `with client as (
           insert into api_key (id, name, prefix, secret_hash, scopes)
           values (gen_random_uuid(), 'client', 'p', decode(repeat('00', 32), 'hex'), '{}') returning id)
         insert into batch (id, api_key_id, type, input_format, state, data_release, rows_total, chunks_total)
         select gen_random_uuid(), id, 'contributions', 'csv', $1, 'r1', 1, 1 from client`,
        [state],
      );

    it.each(['running', 'completed'])(
      'stays while the batch is %s, and goes when its rows are erased',
      async (state) => {
        await storeAs('r1', 1);
        await beginBatch(db.pool, state);
        await activateNewer([2, 3, 4, 5]);
        expect(Object.keys(await states()).sort()).toEqual(['r1', 'r3', 'r4', 'r5']);
        await db.pool.query(`update batch set state = 'expired'`);
        await activateNewer([6]);
        expect(Object.keys(await states()).sort()).toEqual(['r4', 'r5', 'r6']);
      },
    );

    it('stays while the batch is being accepted, and after that', async () => {
      await storeAs('r1', 1);
      const intake = await db.pool.connect();
      await intake.query('begin');
      await beginBatch(intake, 'accepted');
      await intake.query(`select 1 from data_release where id = 'r1' for key share`);
      await activateNewer([2, 3, 4, 5]);
      await intake.query('commit');
      intake.release();
      await activateNewer([6]);
      expect(Object.keys(await states()).sort()).toEqual(['r1', 'r4', 'r5', 'r6']);
    });
  });

  it('writes an audit entry for each move, with its actor', async () => {
    await db.pool.query(`insert into lease (name, holder, epoch, expires_at) values ('aggregator', 'me', 7, now())`);
    for (const day of [1, 2]) await storeAs(`r${day}`, day);
    await repository.activate('r1');
    await repository.activate('r2', { lease: 'aggregator', epoch: 7 });
    await repository.rollback();
    const { rows } = await db.pool.query('select actor, action, detail from audit order by id');
    expect(rows).toEqual([
      { actor: 'operator', action: 'release.activated', detail: { release: 'r1' } },
      { actor: 'aggregator', action: 'release.activated', detail: { release: 'r2' } },
      { actor: 'operator', action: 'release.rolled-back-to', detail: { release: 'r1' } },
    ]);
  });

  it('changes nothing for a leader that lost its lease', async () => {
    await storeAs('r1', 1);
    await db.pool.query(`insert into lease (name, holder, epoch, expires_at) values ('aggregator', 'me', 7, now())`);
    await expect(repository.activate('r1', { lease: 'aggregator', epoch: 6 })).rejects.toThrow(StaleFenceError);
    expect(await repository.activeId()).toBeNull();
    await repository.activate('r1', { lease: 'aggregator', epoch: '7' });
    expect(await repository.activeId()).toBe('r1');
  });

  it('has one active release after two simultaneous moves', async () => {
    for (const day of [1, 2]) await storeAs(`r${day}`, day);
    await Promise.all([repository.activate('r1'), repository.activate('r2'), repository.activate('r1')]);
    expect(Object.values(await states()).filter((state) => state === 'active')).toHaveLength(1);
    expect((await repository.active())?.state).toBe('active');
  });

  it('refreshes from files to an active release; a second run changes nothing', async () => {
    const source = await sampleSource();
    const dry = await refresh({ source, repository, home, steps, dryRun: true });
    expect([dry.outcome, dry.diff, await repository.list()]).toEqual(['dry-run', null, []]);
    const said: string[] = [];
    const report = await refresh({ source, repository, home, steps, onProgress: (step) => said.push(step) });
    expect([report.outcome, report.activated, report.label]).toEqual(['activated', true, 'sample']);
    expect(said).toEqual(expect.arrayContaining(['reading first names', 'checking', 'storing']));
    expect((await refresh({ source, repository, home, steps })).outcome).toBe('unchanged');
    expect(await ensureSample({ repository, home, steps })).toBeNull();

    const holder = new ReleaseHolder(repository, new ReleaseCache(home, repository), logger);
    await holder.refreshNow();
    expect([holder.current()?.id, holder.current()?.label]).toEqual([report.releaseId, 'sample']);
  });

  it('compares a new edition with the active one before anything is stored, and never activates what was withdrawn', async () => {
    await ensureSample({ repository, home, steps });
    const folder = mkdtempSync(join(tmpdir(), 'donorlens-edition-'));
    cpSync(SAMPLE_FOLDER, folder, { recursive: true });
    oneYearLess(folder);
    const source = await FolderSource.open(folder);
    const { diff, outcome } = await refresh({ source, repository, home, steps, dryRun: true });
    expect(outcome).toBe('dry-run');
    expect(diff).toMatchObject({ lastDataYearBefore: 2023, lastDataYearAfter: 2022 });
    expect(diff?.firstNames.changed).toBeGreaterThan(50);
    expect([diff?.surnames2010, diff?.counties]).toEqual([
      { added: 0, removed: 0, changed: 0 },
      { added: 0, removed: 0, changed: 0 },
    ]);
    expect(diff?.birthsAfter).toBeLessThan(diff?.birthsBefore ?? 0);
    expect(diff?.largestMoves.length).toBeGreaterThan(0);

    expect((await refresh({ source, repository, home, steps, activate: false })).outcome).toBe('stored');
    expect((await refresh({ source, repository, home, steps })).outcome).toBe('activated');
    await repository.rollback();
    expect((await refresh({ source, repository, home, steps })).outcome).toBe('withdrawn');
    rmSync(folder, { recursive: true });
  });

  it('has the surnames of 2020 and first names by race on request, and keeps them in later refreshes', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'donorlens-2020-'));
    cpSync(SAMPLE_FOLDER, folder, { recursive: true });
    const source = await FolderSource.open(folder);
    const options = { source, repository, home, steps };
    await expect(refresh({ ...options, surnames: 2020 })).rejects.toThrow('census/surnames/2020/names.zip: is missing');
    const surnames = await unzip('', await readFile(join(folder, 'census/surnames/2010/names.zip')), {
      ...{ wanted: /csv$/, tolerated: /^$/, maxMembers: 1, maxMemberBytes: 1e7, maxTotalBytes: 1e7 },
    });
    mkdirSync(join(folder, 'census/surnames/2020'));
    writeFileSync(
      join(folder, 'census/surnames/2020/names.zip'),
      storedZip(new Map([['Names_2020Census.csv', [...surnames.values()][0]]])),
    );
    const files = ({ provenance }: RefreshReport): string[] => provenance.map(({ file }) => file);
    const plain = await refresh(options);
    expect(files(plain)).not.toContain('census/surnames/2020/names.zip');
    const report = await refresh({ ...options, surnames: 2020 });
    expect([report.outcome, files(report)]).toEqual([
      'activated',
      expect.arrayContaining(['census/surnames/2020/names.zip']),
    ]);
    const { demographics } = await new ReleaseCache(home, repository).load(report.releaseId);
    expect([2015, 2016].map((year) => demographics.surnamesOf(year).census)).toEqual([2010, 2020]);
    expect(await refresh(options)).toMatchObject({ outcome: 'unchanged', releaseId: report.releaseId });
    expect(await refresh({ ...options, surnames: 2010 })).toMatchObject({ releaseId: plain.releaseId });

    await expect(refresh({ ...options, firstNames: true })).rejects.toThrow('dataverse/firstnames.csv: is missing');
    mkdirSync(join(folder, 'dataverse'));
    writeFileSync(join(folder, 'dataverse/firstnames.csv'), FIRST_NAMES_BY_RACE.bytes);
    const named = await refresh({ ...options, firstNames: true });
    const { geography, demographics: names } = await new ReleaseCache(home, repository).load(named.releaseId);
    expect([...(geography?.firstNames?.names.codes ?? [])]).toEqual([names.ages.nameIndex('Mary')]);
    expect(await refresh(options)).toMatchObject({ outcome: 'unchanged', releaseId: named.releaseId });
    expect(await refresh({ ...options, firstNames: false })).toMatchObject({ releaseId: plain.releaseId });
    rmSync(join(folder, 'census/acs'), { recursive: true });
    await expect(refresh({ ...options, firstNames: true })).rejects.toThrow(
      'dataverse/firstnames.csv: is used for ethnicity by place only. census/acs/acsdt5yYYYY-b03002.dat is missing',
    );
    rmSync(folder, { recursive: true });
  });

  it('keeps the active release if the new files are faulty', async () => {
    await ensureSample({ repository, home, steps });
    const before = await repository.activeId();
    const folder = mkdtempSync(join(tmpdir(), 'donorlens-bad-'));
    cpSync(SAMPLE_FOLDER, folder, { recursive: true });
    writeFileSync(join(folder, 'census/geo/national_county.txt'), 'AL,1,1,Autauga,H1\n');
    await expect(refresh({ source: await FolderSource.open(folder), repository, home, steps })).rejects.toThrow(
      'census/geo/national_county.txt line 1: expected State,StateFIPS',
    );
    expect([await repository.activeId(), (await repository.list()).length]).toEqual([before, 1]);
    rmSync(folder, { recursive: true });
  });

  it('downloads the files from a base URL, the second time only changed ones', async () => {
    const asked: string[] = [];
    const server: Server = createServer((request, response) => {
      const path = join(SAMPLE_FOLDER, decodeURIComponent(request.url ?? ''));
      asked.push(`${request.headers['if-none-match'] === '"1"' ? 304 : 200} ${request.url}`);
      if (request.headers['if-none-match'] === '"1"') return void response.writeHead(304).end();
      readFile(path).then(
        (bytes) => response.writeHead(200, { etag: '"1"' }).end(bytes),
        () => response.writeHead(404).end(),
      );
    });
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    const config = { dataSource: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, home };
    const source = await dataSource(config, new SourceFileRepository(db.pool));
    expect(await refresh({ source, repository, home, steps })).toMatchObject({ outcome: 'activated', label: 'sample' });
    asked.length = 0;
    expect((await refresh({ source, repository, home, steps })).outcome).toBe('unchanged');
    expect(asked.filter((line) => line.startsWith('200'))).toEqual([]);
    expect(asked).toContain('304 /ssa/names.zip');
    server.closeAllConnections();
    server.close();
  });
});

/** The folder as an edition that ends a year earlier. */
function oneYearLess(folder: string): void {
  const files = birthFiles();
  files.delete('yob2023.txt');
  writeFileSync(join(folder, 'ssa/names.zip'), storedZip(files));
}
