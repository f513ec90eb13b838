import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { BatchAddresses } from '@donorlens/batches';
import { refreshCharts } from '@donorlens/charts';
import { type Migration, migrate, readMigrations } from '@donorlens/database';
import { type ImportReport, importContributions } from '@donorlens/imports';
import { createLogger } from '@donorlens/observability';
import { type Release } from '@donorlens/reference-data';
import { type TestDatabase, testDatabase } from '../support/servers';
import { until } from '../support/until';
import { ImportWorkers } from '../support/pipeline/import-workers';
import { itcontLine, linkCommittees, sha256Of } from '../support/fec-data/itcont';
import { ADDRESS_KEYS } from '../support/reference-data/known-addresses';
import { locate } from '../support/reference-data/geocoded';
import { newApiKey, textOf } from '../support/pipeline/pipeline';
import { sampleTables } from '../support/reference-data/sample-tables';

/** The newest migration of each release. Each release adds a line. */
const RELEASES = [{ version: '1.0.0', newestMigration: 22 }];

const logger = createLogger('test', 'silent');
const LEASE = 10_000;
const streetOf = (row: number): string => `${row} Made Up St`;
const addressOf = (row: number) => ({ street: streetOf(row), city: 'Springfield', state: 'IL', zip: '62701' });
/** Number of rows of a batch (four chunks), and number of its first rows that have a street. */
const [ROWS, ADDRESSES] = [40, 5];

/** Tables that open work uses. A migration of this test alters them, so that every run has an upgrade. */
const TABLES = ['batch', 'chunk', 'result', 'location_wait', 'geocode_address', 'fec_import'];

function nextMigration(number: number, tables: readonly string[]): Migration {
  const column = 'added_by_upgrade timestamptz not null default clock_timestamp()'; // rewrites each row
  const sql = tables.map((table) => `alter table ${table} add column ${column};`).join('\n');
  return { number, name: 'next', sql, sha256: createHash('sha256').update(sql).digest() };
}

/** Runs batches and imports on one database, in two parts with an upgrade between them. */
class Work {
  private readonly batchIds = new Map<string, string>();

  private constructor(
    private readonly db: TestDatabase,
    private readonly workers: ImportWorkers,
    private readonly release: Release,
    private readonly apiKeyId: string,
    private readonly folder: string,
  ) {}

  static async on(db: TestDatabase, folder: string): Promise<Work> {
    const release = await sampleTables();
    await linkCommittees(db.pool, 2014, 'C00001000');
    await linkCommittees(db.pool, 2016, 'C00001000');
    return new Work(db, await ImportWorkers.on(db.pool, release), release, await newApiKey(db.pool), folder);
  }

  /** Leaves batches in all open states, and an import half done. */
  async begin(): Promise<void> {
    this.workers.start();
    await this.import(2014, 300);
    await this.buildCharts();
    await this.workers.stop();
    await this.accept('enriched');
    for (const seq of [0, 1, 2, 3]) await this.enrich('enriched', seq);
    await this.accept('half enriched');
    await this.accept('cancelling');
    await this.workers.pipeline.reconciler.tick(this.workers.pipeline.queue);
    await this.enrich('half enriched', 0);
    await this.claim('half enriched', 1);
    await this.claim('cancelling', 0);
    await this.workers.pipeline.batches.cancel(this.apiKeyId, this.batchIds.get('cancelling')!);
    await this.accept('accepted');
    await this.importHalf();
  }

  /** Workers and importer complete everything. */
  async finish(): Promise<void> {
    await this.db.pool.query(`update chunk set lease_until = now() - interval '1 second' where state = 'leased'`);
    this.workers.start();
    expect(await this.import(2016, 3_000)).toMatchObject({ linesRead: 3_000, stored: 3_000, duplicates: 0 });
    const pending = Array.from({ length: ADDRESSES }, (_, i) => addressOf(i + 1));
    const unfinished = () => this.count(`chunk where state not in ('done', 'cancelled')`);
    await until('chunks are done', async () => (await unfinished()) === 0);
    await locate(
      this.db.pool,
      ADDRESS_KEYS,
      new BatchAddresses(this.db.pool),
      pending.map((address) => ({ address, outcome: 'MATCH', fips: '17167', tract: '000100', block: '1000' })),
    );
    await until('batches end', async () => (await this.count(`batch where finished_at is null`)) === 0);
    await this.workers.stop();
    expect(this.workers.violations).toBe(0);
    await this.buildCharts();
  }

  close(): Promise<void> {
    return this.workers.stop();
  }

  /** Everything that clients can read, as text. */
  async read(): Promise<Record<string, string>> {
    const texts: Record<string, string> = {};
    for (const [name, id] of this.batchIds) {
      const batch = (await this.workers.pipeline.batches.get(this.apiKeyId, id))!;
      texts[name] = JSON.stringify([batch.state, batch.rowsTotal, batch.chunksDone, batch.counts, batch.addresses]);
      texts[name] += await textOf(await this.workers.pipeline.results.stream(batch, { format: 'csv', partial: true }));
    }
    for (const table of ['contribution', ...CHART_TABLES]) texts[table] = await this.rowsOf(table);
    return texts;
  }

  /** State and number of chunks by batch, and imports that are neither at their start nor at their end. */
  async states(): Promise<Record<string, string>> {
    const { rows } = await this.db.pool.query<{ id: string; states: string }>(
      `select id, string_agg(state || ' ' || n, ', ' order by state) as states
       from (select batch_id as id, chunk.state, count(*) as n from chunk join batch on id = batch_id
             where import_id is null group by 1, 2) counted group by id
       union all
       select null, cycle || ' ' || state from fec_import where lines_read between 1 and 2999 and state <> 'done'`,
    );
    const nameOf = (id: string) => [...this.batchIds].find(([, other]) => other === id)?.[0] ?? 'import';
    return Object.fromEntries(rows.map(({ id, states }) => [nameOf(id), states]));
  }

  private async accept(name: string): Promise<void> {
    const lines = Array.from({ length: ROWS }, (_, i) => i + 1).map(
      (row) => `MARY,SMITH,2016-03-01,${row <= ADDRESSES ? streetOf(row) : ''},Springfield,IL,62701\n`,
    );
    const text = `first_name,last_name,date,street,city,state,zip\n${lines.join('')}`;
    const { batch } = await this.workers.pipeline.intake.accept(
      { apiKeyId: this.apiKeyId, type: 'contributions', format: 'csv', releaseId: this.release.id },
      Readable.from([Buffer.from(text)]),
      new AbortController().signal,
    );
    this.batchIds.set(name, batch.id);
  }

  private async claim(name: string, seq: number) {
    const chunk = await this.workers.pipeline.chunks.claim({ batchId: this.batchIds.get(name)!, seq }, LEASE);
    if (!chunk) throw new Error('the chunk should be free');
    return chunk;
  }

  private async enrich(name: string, seq: number): Promise<void> {
    expect(await this.workers.finish(await this.claim(name, seq))).toBe(true);
  }

  private import(cycle: number, rows: number, more: Partial<Interruption> = {}): Promise<ImportReport> {
    const text = Array.from({ length: rows }, (_, i) =>
      itcontLine(cycle * 10_000 + i, { TRANSACTION_DT: `0301${cycle}`, ZIP_CODE: String(60_000 + i) }),
    ).join('\n');
    const file = join(this.folder, `${cycle}.txt`);
    writeFileSync(file, text);
    const { pool } = this.db;
    return importContributions(
      { pool, releases: () => Promise.resolve(this.release.id), logger, chunkRows: 50, ...more },
      { cycle, file, source: `${cycle}.txt`, label: 'folder', sha256: sha256Of(text) },
    );
  }

  /** Stops the import after its first checkpoint. One chunk is done; the worker of another chunk died. */
  private async importHalf(): Promise<void> {
    const stop = new AbortController();
    let checkpoints = -1; // the release is also chosen at the start
    const releases = (): Promise<string> => {
      if (++checkpoints > 1) stop.abort(new Error('interrupted'));
      return stop.signal.aborted ? Promise.reject(new Error('interrupted')) : Promise.resolve(this.release.id);
    };
    await expect(this.import(2016, 3_000, { releases, signal: stop.signal })).rejects.toThrow('interrupted');
    const { rows } = await this.db.pool.query<{ batchId: string; seq: number }>(
      `select batch_id as "batchId", seq from chunk join batch on id = batch_id
       where import_id is not null and chunk.state = 'pending' order by seq limit 2`,
    );
    const [done] = await Promise.all(rows.map((ref) => this.workers.pipeline.chunks.claim(ref, LEASE)));
    expect(await this.workers.finish(done!)).toBe(true);
  }

  private buildCharts() {
    return refreshCharts(this.db.pool, { demographics: () => Promise.resolve(this.release.demographics) });
  }

  private async count(rows: string): Promise<number> {
    return (await this.db.pool.query<{ n: number }>(`select count(*)::int as n from ${rows}`)).rows[0].n;
  }

  private async rowsOf(table: string): Promise<string> {
    const { rows } = await this.db.pool.query<{ row: string }>(
      `select (to_jsonb(t) - 'added_by_upgrade')::text as row from ${table} t order by 1`,
    );
    return rows.map(({ row }) => row).join('\n');
  }
}

interface Interruption {
  readonly releases: () => Promise<string>;
  readonly signal: AbortSignal;
}

const CHART_TABLES = [
  ...['age_estimate', 'chart_cycle', 'chart_link', 'chart_pair', 'cumulative_donors'],
  ...['donor_breakdown', 'donor_day', 'donor_first', 'donor_name', 'donor_value'],
];

describe.each(RELEASES)('a database of release $version with open work', ({ newestMigration }) => {
  let folder: string;
  const open: { close: () => Promise<void> }[] = [];
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'donorlens-upgrade-'));
  });
  afterAll(async () => {
    for (const each of open.reverse()) await each.close();
    rmSync(folder, { recursive: true });
  });

  async function begun(migrations: readonly Migration[]): Promise<{ db: TestDatabase; work: Work }> {
    const db = await testDatabase({ migrated: false });
    open.push(db);
    await migrate(db.url, logger, { migrations });
    const work = await Work.on(db, folder);
    open.push(work);
    await work.begin();
    return { db, work };
  }

  const known = readMigrations();
  let expected: Record<string, string>;
  beforeAll(async () => {
    const { work } = await begun(known);
    await work.finish();
    expected = await work.read();
    expect(Object.values(expected).every((text) => text.length > 100)).toBe(true);
  });

  it.each([
    ['goes on with the import', TABLES],
    ['starts the import over if contributions changed', [...TABLES, 'contribution']],
  ])('is upgraded, %s, and ends with the same bytes as a database that was never upgraded', async (_name, tables) => {
    const { db, work } = await begun(known.slice(0, newestMigration));
    expect(await work.states()).toEqual({
      enriched: 'done 4',
      'half enriched': 'done 1, leased 1, queued 2',
      cancelling: 'cancelled 3, leased 1',
      accepted: 'pending 4',
      import: '2016 loading',
    });
    const migrations = [...known, nextMigration(known.length + 1, tables)];
    const { applied } = await migrate(db.url, logger, { migrations });
    expect(applied).toEqual(migrations.slice(newestMigration).map(({ name }) => name));
    await work.finish();
    const upgraded = await work.read();
    expect(Object.keys(upgraded).filter((part) => upgraded[part] !== expected[part])).toEqual([]);
    const { rows } = await db.pool.query(`select state from fec_import where cycle = 2016 order by id`);
    const isAltered = tables.includes('contribution');
    expect(rows).toEqual(isAltered ? [{ state: 'abandoned' }, { state: 'done' }] : [{ state: 'done' }]);
  });
});
