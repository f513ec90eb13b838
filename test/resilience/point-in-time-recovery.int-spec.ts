import {
  appendFileSync,
  chmodSync,
  chownSync,
  cpSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { KeyRing, type KeyRepository } from '@donorlens/access-keys';
import { migrate } from '@donorlens/database';
import {
  type PostgresBinaries,
  type RunningPostgres,
  findPostgresBinaries,
  startPostgres,
} from '@donorlens/local-servers';
import { createLogger } from '@donorlens/observability';
import { withKeys } from '../../apps/cli/src/keys/open-keys';
import { until } from '../support/until';

const found = findPostgresBinaries(process.env.PATH ?? '');
/** The first installation of each major version, in the order of preference. */
const versions = found.filter(({ major }, i) => found.findIndex((other) => other.major === major) === i);
const logger = createLogger('test', 'silent');

describe.each(versions.map((binaries) => ({ binaries, name: `Postgres ${binaries.major}` })))(
  '$name',
  ({ binaries }) => {
    let home: string;
    let running: RunningPostgres[];
    beforeEach(() => {
      home = mkdtempSync(join(tmpdir(), 'donorlens-pitr-'));
      chmodSync(home, 0o711); // as root, Postgres runs as another user, who needs access
      running = [];
    });
    afterEach(async () => {
      await Promise.all(running.map((server) => server.stop()));
      rmSync(home, { recursive: true, force: true });
    });

    async function start(name: string, used: PostgresBinaries = binaries): Promise<RunningPostgres> {
      const options = { dataDir: join(home, name), logFile: join(home, `${name}.log`), binaries: [used] };
      const server = await startPostgres({ ...options, tuning: 'test' });
      running.push(server);
      return server;
    }

    /** Copies a stopped data directory, with the same owner. */
    function copy(from: string, to: string): void {
      const [source, target] = [join(home, from), join(home, to)];
      cpSync(source, target, { recursive: true, preserveTimestamps: true });
      const { uid, gid, mode } = statSync(source);
      for (const file of ['', ...readdirSync(target, { recursive: true }).map(String)])
        chownSync(join(target, file), uid, gid);
      chmodSync(target, mode);
      cpSync(`${source}.password`, `${target}.password`);
    }

    it('shows a point-in-time recovery, after which keys are refused until the operator confirms them', async () => {
      let server = await start('primary');
      await migrate(server.url, logger);
      const issued = await withKeys(server.url, (keys) => keys.issue({ name: 'leaked', scopes: ['charts:read'] }));
      await server.stop();
      copy('primary', 'recovered'); // the base backup
      server = await start('primary');
      await asked(server.url, `select pg_create_restore_point('before')`);
      await withKeys(server.url, (keys) => keys.revoke(issued.prefix));
      expect(await stateOf(server)).toBe('confirmed'); // a restart changes nothing
      await server.stop();

      const target = join(home, 'recovered');
      writeFileSync(join(target, 'recovery.signal'), '', { mode: 0o644 });
      appendFileSync(
        join(target, 'postgresql.auto.conf'),
        `restore_command = 'cp ${join(home, 'archive')}/%f %p'\nrecovery_target_name = 'before'\nrecovery_target_action = 'promote'\n`,
      );
      cpSync(join(home, 'primary', 'pg_wal'), join(home, 'archive'), { recursive: true });
      openForAll(join(home, 'archive'));
      const recovered = await start('recovered');
      await until('it is promoted', async () => !(await asked(recovered.url, 'select pg_is_in_recovery() as yes')).yes);
      await withKeys(recovered.url, async (keys) => {
        expect((await keys.list()).map(({ revokedAt }) => revokedAt)).toEqual([null]); // the revocation is lost
        expect(await answers(keys, issued.key, true)).toBe(false);
        expect(await answers(keys, issued.key, false)).toBe(true); // only logs a warning
        await keys.revoke(issued.prefix);
        await keys.confirm();
        expect(await keys.installationState()).toBe('confirmed');
        expect(await answers(keys, issued.key, true)).toBe(false);
      });
    });

    it('shows the promotion of a standby, also to an unprivileged user', async () => {
      const primary = await start('primary');
      await migrate(primary.url, logger);
      await primary.stop();
      copy('primary', 'standby');
      writeFileSync(join(home, 'standby', 'standby.signal'), '', { mode: 0o644 });
      const standby = await start('standby');
      await asked(standby.url, 'select pg_promote()');
      await asked(standby.url, `create role app login password 'app' in role pg_read_all_data`);
      const url = new URL(standby.url);
      [url.username, url.password] = ['app', 'app'];
      await withKeys(url.href, async (keys) => expect(await keys.installationState()).toBe('new-timeline'));
    });
  },
);

const noCopy = { read: () => Promise.resolve(null), write: () => Promise.resolve() };
const stateOf = (server: RunningPostgres) => withKeys(server.url, (keys) => keys.installationState());

/** True if an api with these keys accepts the key. */
async function answers(keys: KeyRepository, key: string, confirmNewTimeline: boolean): Promise<boolean> {
  const ring = new KeyRing(keys, logger, noCopy, { confirmNewTimeline }, { answerWaitMs: 0 });
  await ring.reload();
  return (await ring.authenticate(key)) !== null;
}

async function asked(url: string, sql: string): Promise<Record<string, unknown>> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows[0];
  } finally {
    await client.end();
  }
}

function openForAll(folder: string): void {
  chmodSync(folder, 0o755);
  for (const file of readdirSync(folder))
    chmodSync(join(folder, file), statSync(join(folder, file)).isDirectory() ? 0o755 : 0o644);
}
