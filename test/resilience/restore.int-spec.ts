import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Pool } from 'pg';
import { type KeyRepository, type IssuedKey, KeyRing } from '@donorlens/access-keys';
import { migrate } from '@donorlens/database';
import { type RunningPostgres, findPostgresBinaries, startPostgres } from '@donorlens/local-servers';
import { createLogger } from '@donorlens/observability';
import { backup, restore } from '../../apps/cli/src/backup/backup';
import { withKeys } from '../../apps/cli/src/keys/open-keys';
import { type Context } from '../../apps/cli/src/program-context';
import { BatchLife } from '../support/pipeline/batch-life';
import { until } from '../support/until';
import { FULL, sizeOf } from '../security/security-service';

const BATCHES = sizeOf('BATCHES', 10, 100);
const CONTRIBUTIONS = sizeOf('ROWS', 10_000, 1_000_000);
const BATCH_ROWS = 60; // six chunks
const logger = createLogger('test', 'silent');
const noCopy = { read: () => Promise.resolve(null), write: () => Promise.resolve() };

/** Inserts all rows in one statement; each synthetic row is different. */
const FILL = `
  create table contribution_2016 partition of contribution for values in (2016);
  insert into contribution (cycle, row_id, committee_id, donor_key, donor_key_v2, money_cents, counts_money,
    counts_donor, count_reason, earmark, state, tran_id, release_no, record)
  select 2016, n, 'C99' || lpad((n % 500)::text, 6, '0'), hashint8(n), hashint8(-n), n % 270000, true, true, 0, 0, 'VA',
    'T' || n, 1, 'C99|N|M4|P|2016|15|IND|' || md5(n::text) || ', INVENTED|' || md5((-n)::text) || '|VA|22101|NONE|03042016|' || n
  from generate_series(1, ${CONTRIBUTIONS}) n`;

describe(`a backup with ${BATCHES} batches in progress and ${CONTRIBUTIONS} contributions`, () => {
  let home: string;
  let servers: RunningPostgres[];
  let [source, target] = [] as unknown as [Pool, Pool];
  let life: BatchLife;
  let keys: { leaked: IssuedKey; valid: IssuedKey };
  let ids: string[];
  let before: Record<string, string>;
  const written: string[] = [];
  const write = (text: string): void => void written.push(text);
  const context: Context = { out: write, note: write, run: () => () => Promise.resolve() };
  const onDatabase = async (url: string, work: () => Promise<unknown>): Promise<void> => {
    const env = jest.replaceProperty(process, 'env', { DATABASE_URL: url, DONORLENS_HOME: home });
    await work().finally(() => env.restore());
  };

  beforeAll(async () => {
    home = mkdtempSync(join(tmpdir(), 'donorlens-restore-'));
    chmodSync(home, 0o711); // as root, Postgres runs as another user, who needs access
    const start = (name: string) =>
      startPostgres({
        dataDir: join(home, name),
        logFile: join(home, `${name}.log`),
        binaries: findPostgresBinaries(process.env.PATH ?? ''),
      });
    servers = [await start('source'), await start('target')];
    [source, target] = servers.map(({ url }) => new Pool({ connectionString: url, max: 4 })) as [Pool, Pool];
    for (const pool of [source, target]) pool.on('error', () => undefined); // idle when servers stop
    await migrate(servers[0].url, logger);
    await fill();
  });
  afterAll(async () => {
    await Promise.all([source, target].map((pool) => pool.end()));
    await Promise.all(servers.map((server) => server.stop()));
    rmSync(home, { recursive: true, force: true });
  });

  /** Creates batches with two chunks done, one leased, and the others queued or pending. */
  async function fill(): Promise<void> {
    life = await BatchLife.on(source);
    await source.query(FILL);
    ids = [];
    for (let n = 0; n <= BATCHES; n++) {
      const { id } = await life.accepted(BATCH_ROWS);
      ids.push(id);
      if (n === 0) continue; // this batch is deleted after the backup
      for (const seq of [0, 1]) await life.commit(await life.claim(id, seq));
      await life.claim(id, 2);
      if (n === BATCHES / 2) await life.tick(); // adds jobs for the batches so far
    }
    keys = await withKeys(servers[0].url, async (all) => ({
      leaked: await all.issue({ name: 'leaked', scopes: ['enrich:read'] }),
      valid: await all.issue({ name: 'valid', scopes: ['enrich:read'] }),
    }));
    const states = (await Promise.all(ids.map((id) => life.states(id)))).flat();
    expect([...new Set(states)].sort()).toEqual(['done', 'leased', 'pending', 'queued']);
    before = await digests(source);
  }

  it('restores every row, refuses keys until the operator confirms them, and then completes all batches', async () => {
    const file = join(home, 'all.sql.gz');
    await onDatabase(servers[0].url, () => backup(context, file, {}));
    const [deleted, ...others] = ids;
    expect(await life.pipeline.batches.delete(life.apiKeyId, deleted)).toBe(true);
    await withKeys(servers[0].url, (all) => all.revoke(keys.leaked.prefix));

    await onDatabase(servers[1].url, () => restore(context, file, {}));
    expect(await digests(target)).toEqual(before);
    const restored = BatchLife.of(target, life.apiKeyId);
    await withKeys(servers[1].url, async (all) => {
      expect(await answering(all)).toEqual([]); // neither the revoked key nor the valid one
      await all.revoke(keys.leaked.prefix);
      expect(await restored.pipeline.batches.delete(life.apiKeyId, deleted)).toBe(true);
      await all.confirm();
      expect(await answering(all)).toEqual(['valid']);
    });
    // Leases and jobs of stopped processes expire after some seconds; the test expires them at once.
    await target.query(`update chunk set lease_until = now() where state = 'leased'`);
    await target.query(`update chunk set enqueued_at = now() - interval '1 minute' where state = 'queued'`);
    await until('all are completed', async () => {
      await restored.tick();
      await restored.drain();
      const states = await Promise.all(others.map(async (id) => (await restored.current(id))?.state));
      return states.every((state) => state === 'completed');
    });
    const { rows } = await target.query(
      `select count(*)::int as rows, count(distinct (batch_id, row_no))::int as different from result`,
    );
    expect(rows).toEqual([{ rows: others.length * BATCH_ROWS, different: others.length * BATCH_ROWS }]);
    expect(await restored.current(deleted)).toBeNull();
    if (FULL) process.stderr.write(`${written.join('\n')}\n`);
  }, 1_200_000);

  /** Names of the keys that an api accepts. */
  async function answering(all: KeyRepository): Promise<string[]> {
    const ring = new KeyRing(all, logger, noCopy, { confirmNewTimeline: true }, { answerWaitMs: 0 });
    await ring.reload();
    const names = [];
    for (const { key } of Object.values(keys)) names.push((await ring.authenticate(key))?.name);
    return names.filter((name) => name !== undefined);
  }
});

/** Count and a sum of the hashes of all rows, by table. */
async function digests(pool: Pool): Promise<Record<string, string>> {
  const { rows: tables } = await pool.query<{ name: string }>(
    `select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r'
       and relname not in ('schema_migration', 'lease', 'process') order by 1`,
  );
  const found: Record<string, string> = {};
  for (const { name } of tables) {
    const { rows } = await pool.query<{ digest: string }>(
      `select count(*) || ' ' || coalesce(sum(hashtextextended(t::text, 0)::numeric), 0) as digest from ${name} t`,
    );
    found[name] = rows[0].digest;
  }
  return found;
}
