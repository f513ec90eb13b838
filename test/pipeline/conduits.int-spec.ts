import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { refreshCharts } from '@donorlens/charts';
import { type ImportReport, importContributions } from '@donorlens/imports';
import { createLogger } from '@donorlens/observability';
import { type TestDatabase, testDatabase } from '../support/servers';
import { ImportWorkers } from '../support/pipeline/import-workers';
import { itcontLine, linkCommittees, sha256Of } from '../support/fec-data/itcont';
import { sampleTables } from '../support/reference-data/sample-tables';

const text = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join('');

describe('rows of conduits in the bulk files', () => {
  let db: TestDatabase;
  let workers: ImportWorkers;
  let folder: string;
  let releaseId: string;

  beforeEach(async () => {
    const release = await sampleTables();
    releaseId = release.id;
    db = await testDatabase();
    workers = (await ImportWorkers.on(db.pool, release)).start();
    folder = mkdtempSync(join(tmpdir(), 'donorlens-conduits-'));
    await linkCommittees(db.pool, 2016, 'C00001000', 'C00002000');
  });
  afterEach(async () => {
    await workers.stop();
    await db.close();
    rmSync(folder, { recursive: true });
  });

  const run = (lines: string): Promise<ImportReport> => {
    const file = join(folder, 'itcont.txt');
    writeFileSync(file, lines);
    const logger = createLogger('test', 'silent');
    return importContributions(
      { pool: db.pool, releases: () => Promise.resolve(releaseId), logger },
      { cycle: 2016, file, source: 'itcont.txt', label: 'folder', sha256: sha256Of(lines) },
    );
  };
  const one = async <T>(sql: string): Promise<T> => (await db.pool.query<{ value: T }>(sql)).rows[0].value;

  it('match one gift of the committee each, and count if no gift is left', async () => {
    const gift = { TRANSACTION_TP: '15E', NAME: 'SAMPLE, JENNIFER' };
    const copy = { ...gift, TRANSACTION_TP: '24T', CMTE_ID: 'C00009999', OTHER_ID: 'C00001000' };
    const direct = [itcontLine(1, gift), itcontLine(2, { ...gift, TRANSACTION_DT: '03112016' })];
    const conduits = [
      itcontLine(11, copy),
      itcontLine(12, { ...copy, TRANSACTION_DT: '03212016' }),
      itcontLine(13, copy), // within ten days of the second gift, and earlier than row 12
      itcontLine(14, { ...copy, OTHER_ID: '', MEMO_TEXT: 'EARMARKED FOR SAMPLE (C00002000)' }),
      itcontLine(15, { ...copy, MEMO_CD: 'X' }),
      itcontLine(16, { ...copy, TRANSACTION_AMT: '-25' }),
    ];
    const counted = { kept: 6, matched: 2, counted: 3 };
    expect(await run(text([...conduits, ...direct]))).toMatchObject({ kept: 8, conduits: counted });
    const marks = () =>
      one<string>(`select string_agg(concat_ws(' ', row_id, committee_id, earmark, is_copy, money_cents), '; ' order by row_id)
           as value from contribution where row_id > 10`);
    await refreshCharts(db.pool);
    expect(await marks()).toBe(
      '11 C00001000 2 t 2500; 12 C00001000 2 f 2500; 13 C00001000 2 t 2500; 14 C00002000 2 f 2500; ' +
        '15 C00001000 2 f 0; 16 C00001000 2 f -2500',
    );
    expect(await run(text([...direct, ...conduits].reverse()))).toMatchObject({ conduits: counted, stored: 8 });
    expect(await run(text([...conduits, direct[0]]))).toMatchObject({
      conduits: { kept: 6, matched: 1, counted: 4 },
      removed: 1,
    });
    await refreshCharts(db.pool);
    expect(await marks()).toContain('13 C00001000 2 f 2500');
  });
});
