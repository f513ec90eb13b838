import { createHash } from 'node:crypto';
import { type Pool } from 'pg';
import { createLogger } from '@donorlens/observability';
import { type TestDatabase, testDatabase } from '../../../../test/support/servers';
import { dumpSchema } from '../../../../test/support/servers/schema-dump';
import { migrate } from './migrate';
import { type Migration, readMigrations } from './migration-files';

const logger = createLogger('test', 'silent');

interface EarlierForm {
  readonly file: string;
  readonly sha256: string;
  /** What a later form has, and what this one had instead. */
  readonly edits: readonly (readonly [later: string, earlier: string])[];
}

/**
 * Every form that was ever committed, the newest of a file first: each comes from the form above it, or from the file.
 */
const FORMS: readonly EarlierForm[] = [
  {
    file: '0001_foundation.sql',
    sha256: '30cc82ab3d1db3527c7ed84dae1d3db2bd01d074c35483a49637c513ff43bab6',
    edits: [
      [
        `create index chunk_queued on chunk (stage, enqueued_at) where state = 'queued';
create index chunk_pending on chunk (stage, seq) where state = 'pending';
`,
        `create index chunk_waiting on chunk (stage, enqueued_at) where state in ('pending', 'queued');
`,
      ],
    ],
  },
  {
    file: '0001_foundation.sql',
    sha256: '076760c13faf1fd5232eaab8391069759adb356a1dcfe434dba64e7a4df2c679',
    edits: [
      [
        `  suspected_rows int[] not null default '{}', -- rows that a process died on once, for whatever reason
  poison_rows int[] not null default '{}', -- rows that a process died on again: they fail without being read
`,
        `  poison_rows int[] not null default '{}', -- rows that a process died on: they fail without being read
`,
      ],
    ],
  },
  {
    file: '0001_foundation.sql',
    sha256: '1e8ba49dbcfd02d4b85861693516e21fb3c1d10131301832bf43752bebe0106a',
    edits: [
      [
        `  poison_rows int[] not null default '{}', -- rows that a process died on: they fail without being read
`,
        ``,
      ],
    ],
  },
  {
    file: '0001_foundation.sql',
    sha256: '555b1debf8030464ace7185615894c0fb720a9ffdc1673c1e7648a34d64691c7',
    edits: [
      [
        `  last_used_at timestamptz,
  previous_prefix text unique,       -- the secret before the last rotation, good until previous_until
  previous_hash bytea,
  previous_until timestamptz
`,
        `  last_used_at timestamptz
`,
      ],
    ],
  },
  {
    file: '0002_campaign_finance.sql',
    sha256: 'db8d4e06a4ac0ba906b61ee1d67e711a472bbd7fdc2c0eb1983fde298281cc9e',
    edits: [
      [
        `create index contribution_conduit on contribution (committee_id, donor_key) where earmark = 2 or is_copy;
create index contribution_by_day on contribution (received_on); -- the newest day of a cycle without reading it all
`,
        `create index contribution_conduit on contribution (committee_id, donor_key) where earmark = 2;
`,
      ],
      [
        `  first_row bigint,                  -- its row_id: among several of one day the least is the first
`,
        ``,
      ],
    ],
  },
  {
    file: '0003_addresses.sql',
    sha256: '9a1f5552ddc97abf6a767cb595ccd32c941fe866152ff51c9f9a3b8e9f67e199',
    edits: [
      [
        `  asked_by uuid,                     -- the batch that asked first; the nil uuid: single requests; null: an import, or nobody any more
`,
        `  asked_by uuid,                     -- the batch that asked first; null: an import or a single request
`,
      ],
      [
        `  refused_reason text,               -- this benchmark or vintage is not among the geocoder's; null: all is well
  refused_benchmark text,
  refused_vintage text,
`,
        `  refused_reason text,               -- the benchmark or vintage is not among the geocoder's; null: all is well
`,
      ],
    ],
  },
  {
    file: '0003_addresses.sql',
    sha256: '42441700444a5f1010d2185da798dea64af7e672252e58848d6e2cab96ffa54f',
    edits: [
      [
        `-- Filings that left streets here are read once more when they are imported again, though their bytes are known.
update fec_import set detail = detail || '{"readAgain": true}'
where id in (
  select f.import_id from contribution_street join contribution c using (cycle, row_id) join filing f using (file_num));
update job_run set detail = detail - 'days' where kind = 'import-filings'; -- the hourly run passes over days it knows
`,
        `-- Rows of filings imported before are asked for when their filing is imported again.
`,
      ],
    ],
  },
  {
    file: '0003_addresses.sql',
    sha256: '200728a37807a1b048517755ddf5c434d57fd4bfa9e2f2439d20d0a9dab5a113',
    edits: [
      [
        `  benchmark text not null,           -- those of its addresses: it is asked under them, whatever the settings are by then
  vintage text not null,
`,
        ``,
      ],
      [
        `  benchmark text not null,           -- its key is made of these two, so it is asked under them
  vintage text not null,
`,
        ``,
      ],
    ],
  },
  {
    file: '0003_addresses.sql',
    sha256: 'd4c6c3a4a2fb2e6a70e5329eb73cf0a8134ea45f80a324e7bc0013273a8b8605',
    edits: [
      [
        `update batch set enriched_at = finished_at where state = 'completed';
update batch set skipped_rows = ok_rows + partial_rows + not_found_rows
where type = 'contributions' and import_id is null; -- no row of theirs has an address key
`,
        ``,
      ],
    ],
  },
  {
    file: '0004_operations.sql',
    sha256: '344ec5ff2313568a59ff28bbe95eb372a397c04578906745f44686a96cfba505',
    edits: [
      [
        `-- What its sender called the file; null: it came without a name, or its rows are erased.
alter table batch add column name text;

`,
        ``,
      ],
    ],
  },
  {
    file: '0004_operations.sql',
    sha256: '4600aa686b6ed83e2ee0c5ea769b6aa9766ae14654c02c46098f2e722c5a7bf4',
    edits: [
      [
        `-- Messages that there are for it: 1 that of its end, 2 that of its late addresses, too.
alter table batch add column webhook_told int not null default 0;
-- Holds what is to be told now, and so next to nothing: the leader looks once a second.
create index batch_to_tell on batch (finished_at)
  where webhook_url is not null
    and (webhook_told = 0 and state in ('completed', 'cancelled', 'failed')
      or webhook_told = 1 and state = 'completed' and pending_rows = 0 and located_at > finished_at);
`,
        `create index batch_to_tell on batch (finished_at) where webhook_url is not null;
`,
      ],
      [
        `  host text not null,                -- of the batch's webhook_url, with its port: whose turn it takes
`,
        ``,
      ],
      [
        `create index webhook_delivery_due on webhook_delivery (next_at) include (host) where state = 'pending';
`,
        `create index webhook_delivery_due on webhook_delivery (next_at) where state = 'pending';
`,
      ],
    ],
  },
  {
    file: '0004_operations.sql',
    sha256: '992197da6de44ec0fc4923dc7923c416e17bb49d7d7397a28a55126595f4cc69',
    edits: [
      [
        `create index batch_to_tell on batch (finished_at) where webhook_url is not null;
`,
        ``,
      ],
    ],
  },
];

/** The migrations of a database that was made when the newest one had this form. */
function historyUpTo(at: number): Migration[] {
  const { file, sha256 } = FORMS[at];
  const history = readMigrations().slice(0, Number(file.slice(0, 4)));
  const present = history[history.length - 1];
  const sql = FORMS.slice(0, at + 1)
    .filter((form) => form.file === file)
    .flatMap(({ edits }) => edits)
    .reduce((text, [later, earlier]) => text.replace(later, () => earlier), present.sql);
  const digest = createHash('sha256').update(sql).digest();
  expect(digest.toString('hex')).toBe(sha256);
  return [...history.slice(0, -1), { ...present, sql, sha256: digest }];
}

/** Columns that were added later stand at the end, so that lines of a table are compared without their order. */
const schemaOf = async (pool: Pool): Promise<string[][]> =>
  (await dumpSchema(pool)).split('\n\n').map((table) =>
    table
      .split('\n')
      .map((line) => line.replace(/,$/, ''))
      .sort(),
  );

describe('a database from an earlier form of a migration', () => {
  let db: TestDatabase;
  let present: string[][];
  beforeAll(async () => {
    const fresh = await testDatabase();
    present = await schemaOf(fresh.pool);
    await fresh.close();
  });
  beforeEach(async () => {
    db = await testDatabase({ migrated: false });
  });
  afterEach(() => db.close());

  it.each(FORMS.map(({ file, sha256 }, at) => [file, sha256.slice(0, 8), at] as const))(
    'gets the current schema: %s of checksum %s',
    async (_file, _sha256, at) => {
      await migrate(db.url, logger, { migrations: historyUpTo(at) });
      await migrate(db.url, logger);
      expect(await schemaOf(db.pool)).toEqual(present);
      expect((await migrate(db.url, logger)).applied).toEqual([]);
    },
  );

  const oldest = (file: string): number => FORMS.findLastIndex((form) => form.file === file);
  const BATCH = `
    insert into api_key (id, name, prefix, secret_hash, scopes) values (gen_random_uuid(), 'x', 'x', sha256('x'), '{}');
    insert into data_release (id, label, sha256, bytes, created_at) values ('r', 'sample', '', 0, now());
    insert into batch (id, api_key_id, type, input_format, data_release, state, ok_rows, finished_at)
      select '0b0f0000-0000-4000-8000-000000000000', id, 'contributions', 'csv', 'r', 'completed', 7, now() from api_key`;

  it('keeps its batches and its pending addresses', async () => {
    await migrate(db.url, logger, { migrations: readMigrations().slice(0, 2) });
    await db.pool.query(BATCH);
    await migrate(db.url, logger, { migrations: historyUpTo(oldest('0003_addresses.sql')) });
    await db.pool.query(`insert into geocode_address (address_key, ask_order, street, city, state, zip)
      values ('x', 1, '1 QUILL LANE', 'RENO', 'NV', '89501')`);
    await migrate(db.url, logger);
    const batch = await db.pool.query('select ok_rows, skipped_rows, enriched_at = finished_at as enriched from batch');
    expect(batch.rows).toEqual([{ ok_rows: 7, skipped_rows: 7, enriched: true }]);
    const addresses = await db.pool.query('select benchmark, vintage from geocode_address');
    expect(addresses.rows).toEqual([{ benchmark: 'Public_AR_Current', vintage: 'Census2020_Current' }]);
  });

  it('sends no webhook again', async () => {
    await migrate(db.url, logger, { migrations: historyUpTo(oldest('0004_operations.sql')) });
    await db.pool.query(`${BATCH}; update batch set webhook_url = 'https://Hooks.example:8443/x?y';
      insert into webhook_delivery (id, batch_id, event, state)
      select gen_random_uuid(), id, 'batch.completed', 'delivered' from batch`);
    await migrate(db.url, logger);
    const { rows } = await db.pool.query(
      'select webhook_told, host from batch join webhook_delivery d on d.batch_id = batch.id',
    );
    expect(rows).toEqual([{ webhook_told: 1, host: 'hooks.example:8443' }]);
  });
});
