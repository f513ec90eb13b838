import { createHash } from 'node:crypto';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, Pool } from 'pg';
import { OperatorRequests } from '@donorlens/operations';
import { CANDIDATES, ContributionEditions, CYCLE, withoutSample } from '../support/reference-data/data-folders';
import { FULL, sizeOf } from '../security/security-service';
import { Installation, KEY, SAMPLE, until } from '../support/installation';

const ids = (name: string, values: readonly string[]): string => values.map((id) => `${name}=${id}`).join('&');
const CHARTS = [
  `cumulative_donors/candidate?${ids('candidate_id', Object.keys(CANDIDATES))}&cycle=${CYCLE}`,
  `age_distribution/committee?${ids('committee_id', Object.values(CANDIDATES))}&cycle=${CYCLE}`,
];
/** The rows in the order that the API guide states, and two charts. */
const PATHS = [`contributions/search?cycle=${CYCLE}`, ...CHARTS];

/** A service, its data folder with contributions, and its answers for the cycle. */
class Loads {
  private constructor(
    readonly installation: Installation,
    readonly editions: ContributionEditions,
    readonly pool: Pool,
    private readonly folder: string,
  ) {}

  static async start(): Promise<Loads> {
    const folder = mkdtempSync(join(tmpdir(), 'donorlens-loads-'));
    cpSync(SAMPLE, folder, { recursive: true });
    const editions = await ContributionEditions.create(folder);
    const environment = { DATA_SOURCE: folder, REFERENCE_REFRESH: 'off', LOG_LEVEL: 'warn' };
    const installation = await Installation.start({
      ...{ queue: 'postgres', tuning: 'test', databaseUrl: withoutSample, environment },
    });
    const pool = new Pool({ connectionString: installation.postgres.url, max: 2 });
    pool.on('error', () => undefined); // the test kills the server
    return new Loads(installation, editions, pool, folder);
  }

  async stop(): Promise<void> {
    await this.pool.end();
    await this.installation.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** @returns null while Postgres is down */
  async one<T>(sql: string, values: readonly unknown[] = []): Promise<T | null> {
    return (await this.pool.query<{ value: T }>(sql, [...values]).catch(() => null))?.rows[0]?.value ?? null;
  }

  /** Has the leader load an edition. @param from - number of the first donor in the edition */
  async load(donorsPerDay: number, from = 0): Promise<void> {
    await this.editions.publish(donorsPerDay, from);
    await this.finish(await this.request());
  }

  request(): Promise<string> {
    return new OperatorRequests(this.pool).submit('refresh', { source: 'fec' }, 'test');
  }

  /** Resolves when the api serves the requested rows and their charts. */
  async finish(request: string): Promise<void> {
    const state = `select state as value from ops_request where id = $1 and state in ('done', 'failed')`;
    expect(await until('the load has finished', () => this.one(state, [request]))).toBe('done');
    await until('charts are built', () => this.one('select not exists (select from donor_touched) as value'));
    const version = await this.one<string>(`select version_id as value from pointer where name = 'charts'`);
    const isServed = async (): Promise<boolean> =>
      (await this.ask(CHARTS[0]))?.headers.get('data-version')?.endsWith(`-${version}`) === true;
    await until('charts are served', isServed);
  }

  /** Assigns the stored rows to another cycle's file. The next file, if it lacks them, then replaces the cycle. */
  async beforeSwap(): Promise<void> {
    await this.pool.query(`update contribution set file_cycle = ${CYCLE - 2}`);
  }

  /** @returns null if the request fails or is refused */
  async ask(path: string): Promise<Response | null> {
    const headers = { authorization: `Bearer ${KEY}`, accept: 'text/csv' };
    const url = `${this.installation.apiUrls[0]}/data-charts/v1/${path}`;
    const response = await fetch(url, { headers }).catch(() => null);
    return response?.ok ? response : null;
  }

  /** Digests of the rows and the charts, because the files are long. */
  answers(): Promise<string[]> {
    return Promise.all(PATHS.map((path) => until(path, () => this.digest(path))));
  }

  async digest(path: string): Promise<string | null> {
    const text = await (await this.ask(path))?.text().catch(() => null);
    return text ? `${text.split('\n').length - 2} rows ${createHash('sha256').update(text).digest('hex')}` : null;
  }

  leftovers(): Promise<string | null> {
    return this.one(
      `select string_agg(relname, ' ') as value from pg_class where relname ~ '^contribution_(\\d+_next|difference)$'`,
    );
  }

  /** Takes a lock as soon as that is possible. `blocks` resolves when a statement waits for it. */
  async locked(lock: string) {
    const client = await until(lock, () => lockedBy(this.installation.postgres.url, lock));
    const waits = `select true as value from pg_stat_activity where $1 = any (pg_blocking_pids(pid)) and query ~ $2`;
    return {
      blocks: (statement: string): Promise<boolean> =>
        until(`it waits: ${statement}`, () => this.one<true>(waits, [client.pid, statement])),
      release: (): Promise<void> => client.end().catch(() => undefined),
    };
  }
}

/** @returns null if the object does not exist yet, or if the server is down */
async function lockedBy(connectionString: string, lock: string): Promise<(Client & { readonly pid: number }) | null> {
  const client = new Client({ connectionString });
  client.on('error', () => undefined); // the test kills the server
  try {
    await client.connect();
    await client.query('begin');
    const { rowCount, command } = await client.query(lock);
    const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
    if (command !== 'SELECT' || rowCount) return Object.assign(client, rows[0]);
  } catch {
    // returns null
  }
  await client.end().catch(() => undefined);
  return null;
}

/** Donors per day in a load whose processes are killed. */
const DONORS = sizeOf('DONORS', 100, 1_000);
/** Loads with concurrent readers: swaps and differences alternate. */
const ROUNDS = sizeOf('ROUNDS', 2, 10);
const NEXT = `contribution_${CYCLE}_next`;
const BATCH = `select from batch where import_id = (select max(id) from fec_import) for update`;
/** The locks that a load waits for when a process is killed, in the order of its steps. */
const FIRST_LOAD = [
  { lock: 'lock table chunk in share mode', statement: '^copy chunk', victim: 'aggregator' },
  { lock: `lock table ${NEXT} in share mode`, statement: `^copy ${NEXT}`, victim: 'worker' },
  { lock: `lock table ${NEXT} in access share mode`, statement: 'add constraint .* primary key', victim: 'aggregator' },
  { lock: 'lock table contribution in access share mode', statement: '^lock table contribution', victim: 'postgres' },
  { lock: BATCH, statement: 'update batch\\s+set state', victim: 'aggregator' },
] as const;
const NEXT_LOAD = [
  { lock: 'lock table fec_import in share mode', statement: '^insert into fec_import', victim: 'aggregator' },
  { lock: `lock table ${NEXT} in share mode`, statement: `^copy ${NEXT}`, victim: 'postgres' },
  { lock: BATCH, statement: 'with unsynced|update batch', victim: 'worker' },
  { lock: `select from contribution for update`, statement: 'for update of c', victim: 'aggregator' },
  { lock: 'lock table donor_touched in share mode', statement: 'insert into donor_touched', victim: 'postgres' },
] as const;
/** Simulates a full disk for the table of a load. */
const FULL_DISK = `
  create function no_space() returns trigger language plpgsql as
    $$ begin raise 'No space left on device' using errcode = 'disk_full'; end $$;
  create function fill_disk() returns event_trigger language plpgsql as $$ begin
    if to_regclass('${NEXT}') is not null then
      create or replace trigger no_space before insert on ${NEXT} execute function no_space();
    end if;
  end $$;
  create event trigger full_disk on ddl_command_end when tag in ('CREATE TABLE') execute function fill_disk()`;

/** All ten points with FULL=1, otherwise the last two of each load. */
const crashesOf = (points: Points): Points => (FULL ? points : points.slice(-2));

type Points = readonly ((typeof FIRST_LOAD)[number] | (typeof NEXT_LOAD)[number])[];

describe('a load of a bulk file', () => {
  /** @returns the answers after the first load, which replaces the cycle, and after the next load */
  async function answersAfterLoads(first: Points, next: Points): Promise<string[][]> {
    const loads = await Loads.start();
    const all: string[][] = [];
    try {
      await loads.load(10);
      await loads.beforeSwap();
      for (const { points, donors, from } of [
        { points: first, donors: DONORS, from: 10 },
        { points: next, donors: DONORS + 10, from: 12 },
      ]) {
        const before = await loads.answers();
        await loads.editions.publish(donors, from);
        const request = await loads.request();
        for (const { lock, statement, victim } of points) {
          const { blocks, release } = await loads.locked(lock);
          if (lock !== BATCH) expect([lock, await loads.answers()]).toEqual([lock, before]); // a swap blocks readers
          await blocks(statement);
          const { postgres } = loads.installation;
          if (victim === 'postgres') await postgres.kill().then(() => postgres.restarted());
          else loads.installation.of(victim)[0].signal('SIGKILL');
          await release();
        }
        await loads.finish(request);
        all.push(await loads.answers());
        expect(await loads.leftovers()).toBeNull();
      }
      return all;
    } finally {
      await loads.stop();
    }
  }

  it('ends with the same bytes after kill -9 of worker, aggregator and Postgres during both loads, and shows no partial load', async () => {
    const [expected, actual] = await Promise.all([
      answersAfterLoads([], []),
      answersAfterLoads(crashesOf(FIRST_LOAD), crashesOf(NEXT_LOAD)),
    ]);
    expect(expected.map(([rows]) => parseInt(rows, 10))).toEqual([40 * DONORS, 40 * (DONORS + 8)]);
    expect(actual).toEqual(expected);
  });

  describe('into a running service', () => {
    let loads: Loads;
    let live: readonly string[];
    beforeAll(async () => {
      loads = await Loads.start();
      await loads.load(20);
      live = await loads.answers();
    });
    afterAll(() => loads.stop());

    const load = () => loads.installation.command('import', 'fec', '--cycle', String(CYCLE), '--contributions');
    async function expectRefusal(loading: Promise<unknown>, message: RegExp, leftovers: string | null = null) {
      await expect(loading).rejects.toMatchObject({ code: 1, stderr: expect.stringMatching(message) });
      expect([await loads.answers(), await loads.leftovers()]).toEqual([live, leftovers]);
    }

    it.each([
      [
        'a damaged zip',
        22,
        (zip: Buffer) => zip.fill(0xff, 2_000, 2_010),
        /indiv24\.zip: itcont\.txt cannot be unpacked/,
      ],
      ['a truncated zip', 22, (zip: Buffer) => zip.subarray(0, zip.length / 2), /indiv24\.zip: no readable zip/],
      ['a shrunken file', 15, (zip: Buffer) => zip, /the file lacks 200 of the 800 rows .* run with --remove-missing/],
    ])(
      'from %s ends with exit code 1, changes nothing and leaves no table behind',
      async (_, donors, change, message) => {
        await loads.editions.publish(donors);
        writeFileSync(loads.editions.file, change(readFileSync(loads.editions.file)));
        await expectRefusal(load(), message);
      },
    );

    it('on a full disk ends with exit code 1, changes nothing and leaves no table behind', async () => {
      await loads.pool.query(FULL_DISK);
      await loads.editions.publish(22);
      await expectRefusal(load(), /the disk of the database is full: free space and import the file again/);
      await loads.pool.query('drop event trigger full_disk');
    });

    it('beside another load ends with exit code 1; the next load or the aggregator removes the table of a killed load', async () => {
      await loads.editions.publish(22);
      const killed = load();
      const isKilled = expect(killed).rejects.toMatchObject({ signal: 'SIGKILL' });
      const { blocks, release } = await loads.locked(`lock table ${NEXT} in share mode`);
      await blocks(`^copy ${NEXT}`);
      await expectRefusal(load(), /another import is running: try again when it has finished/, NEXT);
      killed.child.kill('SIGKILL');
      await isKilled;
      await release();
      await loads.editions.publish(24);
      await load();
      expect([parseInt((await loads.answers())[0], 10), await loads.leftovers()]).toEqual([960, null]);
      await loads.pool.query('create table contribution_2030_next ()');
      await until('the aggregator removes it', async () => (await loads.leftovers()) === null);
    });

    it('shows 8 readers either the old or the new state while loads swap the cycle and change it', async () => {
      const seen = new Set<string>();
      let isOver = false;
      await loads.load(25);
      let before = await loads.answers();
      const readers = Array.from({ length: 8 }, async (_, nth) => {
        for (let at = nth; !isOver; at++) {
          const answer = await loads.digest(PATHS[at % PATHS.length]);
          if (answer) seen.add(answer); // a busy api may refuse a reader
        }
      });
      const partition = `select oid::int as value from pg_class where relname = 'contribution_${CYCLE}'`;
      try {
        for (let round = 1; round <= ROUNDS; round++) {
          const isSwap = round % 2 === 1;
          if (isSwap) await loads.beforeSwap();
          const table = await loads.one(partition);
          const donors = 20 * (round + 1); // more than in earlier loads
          seen.clear();
          await loads.load(donors, isSwap ? donors - 10 : donors - 29);
          const after = await loads.answers();
          expect([round, (await loads.one(partition)) !== table]).toEqual([round, isSwap]);
          expect([round, [...seen].filter((one) => !before.includes(one) && !after.includes(one))]).toEqual([
            round,
            [],
          ]);
          expect([round, seen.size >= PATHS.length]).toEqual([round, true]);
          before = after;
        }
      } finally {
        isOver = true;
        await Promise.all(readers);
      }
    });
  });
});
