import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type FilingReport, type FilingsRequest, type ImportContext, importFilings } from '@donorlens/imports';
import { createLogger } from '@donorlens/observability';
import { type Release } from '@donorlens/reference-data';
import { sampleTables } from '../reference-data/sample-tables';
import { type TestDatabase, testDatabase } from '../servers';
import { type SyntheticFiling, filingText, receipt } from '../fec-data/filings';
import { ImportWorkers } from './import-workers';

const logger = createLogger('test', 'silent');
/** The resources of the running test; `useFilingImports` sets them before each test. */
export const env = {} as { db: TestDatabase; release: Release; workers: ImportWorkers; folder: string };

/** Starts a database and import workers for each test of the file; checks afterwards that no row was stored twice. */
export function useFilingImports(): void {
  beforeAll(async () => {
    env.release = await sampleTables();
  });
  beforeEach(async () => {
    env.db = await testDatabase();
    env.workers = (await ImportWorkers.on(env.db.pool, env.release)).start();
    env.folder = mkdtempSync(join(tmpdir(), 'donorlens-filings-'));
  });
  afterEach(async () => {
    await env.workers.stop();
    expect(env.workers.violations).toBe(0);
    await env.db.close();
    rmSync(env.folder, { recursive: true });
  });
}

export const context = (more: Partial<ImportContext> = {}): ImportContext => ({
  pool: env.db.pool,
  releases: () => Promise.resolve(env.release.id),
  logger,
  ...more,
});
export const run = (
  files: FilingsRequest['files'],
  request: Partial<FilingsRequest> = {},
  more: Partial<ImportContext> = {},
): Promise<FilingReport[]> => importFilings(context(more), { files, label: 'folder', ...request });
export const written = (name: string, bytes: string | Buffer): string => {
  const path = join(env.folder, name);
  writeFileSync(path, bytes);
  return path;
};
/** Imports one synthetic filing under this number. */
export const file = async (
  number: number | string,
  filing: SyntheticFiling | string,
  more = {},
): Promise<FilingReport> => {
  const text = typeof filing === 'string' ? filing : filingText(filing);
  return (await run([written(`${number}.fec`, text)], more))[0];
};
export const one = async <T>(sql: string): Promise<T> => (await env.db.pool.query<{ value: T }>(sql)).rows[0].value;
export const stored = (): Promise<string> =>
  one(`select md5(string_agg(c::text, ';' order by cycle, row_id)) as value from contribution c`);
export const tranIds = (): Promise<string> =>
  one(`select coalesce(string_agg(file_num || ':' || tran_id, ' ' order by file_num, tran_id), '') as value
       from contribution`);
export const states = (): Promise<string> =>
  one(`select coalesce(string_agg(file_num || ' ' || state, ', ' order by file_num), '') as value from filing`);
export const imports = (): Promise<string> =>
  one(`select coalesce(string_agg(coalesce(error_code, state), ',' order by id), '') as value from fec_import`);

export const gifts = (...ids: string[]): string[][] => ids.map((id) => receipt('SA17A', id));
