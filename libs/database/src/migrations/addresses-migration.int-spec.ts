import { createLogger } from '@donorlens/observability';
import { type TestDatabase, testDatabase } from '../../../../test/support/servers';
import { migrate } from './migrate';
import { readMigrations } from './migration-files';

const logger = createLogger('test', 'silent');

describe('the migration of addresses', () => {
  let db: TestDatabase;
  beforeEach(async () => {
    db = await testDatabase({ migrated: false });
    await migrate(db.url, logger, { migrations: readMigrations().slice(0, 2) });
  });
  afterEach(() => db.close());

  it('marks filings with stored streets to be read again, and no others', async () => {
    await db.pool.query(`
      create table contribution_2016 partition of contribution for values in (2016);
      insert into fec_import (id, kind, cycle, label, source, epoch, state, detail) overriding system value values
        (1, 'filing', 2016, 'folder', '11.fec', 1, 'done', '{"fileNum": "11"}'),
        (2, 'filing', 2016, 'folder', '12.fec', 1, 'done', '{"fileNum": "12"}'),
        (3, 'contributions', 2016, 'folder', 'indiv16.zip', 1, 'done', '{}');
      insert into filing (file_num, import_id, cmte_id, form_type, version, original, report_code, state) values
        (11, 1, 'C99000001', 'F3PN', '8.3', 11, 'M4', 'current'), (12, 2, 'C99000001', 'F3PN', '8.3', 12, 'M5', 'current');
      insert into contribution (cycle, row_id, committee_id, donor_key, donor_key_v2, money_cents, counts_money,
        counts_donor, count_reason, earmark, state, file_num, tran_id, has_street, release_no, record)
      select 2016, row_id, 'C99000001', 1, 1, 0, true, true, 0, 0, 'VA', file_num, 'T', row_id = -1, 1, ''
      from (values (-1, 11), (-2, 11), (-3, 12), (4, 12)) as made_up (row_id, file_num);
      insert into job_run (kind, scheduled_for, state, detail) values
        ('import-filings', now(), 'done', '{"filings": 2, "days": {"2026-01-01": "x"}}'),
        ('import-bulk', now(), 'done', '{"days": 1}');
      insert into contribution_street values (2016, -1, '1 QUILL LANE', '')`);
    await migrate(db.url, logger);
    const { rows } = await db.pool.query(`select id::int, detail from fec_import order by id`);
    expect(rows).toEqual([
      { id: 1, detail: { fileNum: '11', readAgain: true } },
      { id: 2, detail: { fileNum: '12' } },
      { id: 3, detail: {} },
    ]);
    const runs = await db.pool.query('select detail from job_run order by kind');
    expect(runs.rows.map(({ detail }) => detail as object)).toEqual([{ days: 1 }, { filings: 2 }]);
  });
});

describe('the migration of the circuit', () => {
  const callId = '0b0f8c5e-0000-4000-8000-000000000001';
  it.each([
    [{ ownState: { value: 1, openedAt: 5_000, attemptNo: 2 }, breakerState: null, blamed: [] }, 5_000, []],
    [{ ownState: { value: 0 }, failedCalls: [callId] }, null, [callId]],
    [{ ownState: { value: 0 }, blamed: [callId] }, null, [callId]],
    [{ breakerState: 5 }, null, []],
  ])('keeps the state %j', async (stored, openedAt, failedCalls) => {
    const db = await testDatabase({ migrated: false });
    await migrate(db.url, logger, { migrations: readMigrations().slice(0, 9) });
    await db.pool.query('update geocoder set circuit = $1', [stored]);
    await migrate(db.url, logger);
    const { rows } = await db.pool.query('select circuit from geocoder');
    expect(rows).toEqual([{ circuit: { version: 1, openedAt, failedCalls } }]);
    await db.close();
  });
});
