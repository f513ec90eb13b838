import { spawnSync } from 'node:child_process';
import { cpSync, createReadStream, rmSync, symlinkSync } from 'node:fs';
import { createServer } from 'node:http';
import { type AddressInfo } from 'node:net';
import { join, normalize } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { Client } from 'pg';
import { type Installation, SAMPLE } from '../../../test/support/installation';
import { runApp } from '../support/operator';
import { SmallDisk } from '../../../test/support/installation/small-disk';
import { areAllAnswered, BatchSender, LOOKUPS, RequestLoop } from './outage-load';
import { addBatches, type Outage, withoutPostgres, withoutRedis } from './outage';

const ROLES = ['api', 'worker', 'aggregator'] as const;
const DEPENDENCY = 3;
const END_MS = 120_000;

/** Fills Redis and keeps it full, like another program that uses the same server. */
class RedisFiller {
  private isFilling = true;
  private keys = 0;
  private loop: Promise<void> = Promise.resolve();

  constructor(private readonly redis: Redis) {}

  start(): void {
    this.loop = this.fill();
  }

  /** Deletes the keys that it stored. */
  async stop(): Promise<void> {
    this.isFilling = false;
    await this.loop;
    for (let key = 0; key < this.keys; key += 1000)
      await this.redis.del(Array.from({ length: 1000 }, (_, nth) => `other:${key + nth}`));
  }

  private async fill(): Promise<void> {
    for (; this.isFilling; await pause(100))
      for (let isFull = false; !isFull;)
        isFull = await this.redis.set(`other:${this.keys}`, 'x'.repeat(1_000)).then(
          () => !++this.keys,
          () => true,
        );
  }
}

export const redisFull: Outage = {
  name: (options) => `Redis full for ${options['away-s']} s: noeviction, maxmemory 8mb, filled by another program`,
  promise: 'endpoints 1 to 9 answer 200, batches are accepted and finish when there is room, logs stay quiet',
  observe: async ({ installation }, observations, options) => {
    const redis = new Redis(installation.redis?.url ?? '');
    await redis.config('SET', 'maxmemory', '8mb');
    const filler = new RedisFiller(redis);
    const restore = async (): Promise<void> => {
      await filler.stop();
      await redis.config('SET', 'maxmemory', '0');
    };
    const interrupt = (): void => filler.start();
    const absence = { seconds: options['away-s'], interrupt, restore, maxMs: Infinity };
    await withoutRedis(installation, observations, absence);
    redis.disconnect();
  },
};

export const redisEvicts: Outage = {
  name: () => 'Redis with maxmemory-policy allkeys-lru',
  promise: `each role refuses to start with one line that says what to do, exit code ${DEPENDENCY}`,
  observe: async ({ installation: { environment, redis } }, observations) => {
    const client = new Redis(redis?.url ?? '');
    await client.config('SET', 'maxmemory-policy', 'allkeys-lru');
    for (const role of ROLES) {
      const { code, out, err } = await runApp(role, [], { ...environment, PORT: '0' }, 60_000);
      const lines = `${out}${err}`.split('\n').filter((line) => line !== '');
      const isClear = lines.length === 1 && /noeviction/.test(lines[0]) && /redis-cli/.test(lines[0]);
      const message = /"msg":"([^"]*)"/.exec(lines[0] ?? '')?.[1] ?? lines.join(' ');
      const quoted = role === 'api' ? ` (“${message}”)` : '';
      observations.add(`${role}: exit code ${code}, ${lines.length} line${quoted}`, isClear && code === DEPENDENCY);
    }
    await client.config('SET', 'maxmemory-policy', 'noeviction');
    client.disconnect();
  },
};

const DISK_MB = 500;
const MAX_MS = 15_000;
const MAX_SEGMENTS = 1_000;
const DISK_PROMISE =
  'endpoints 1 to 4 answer 200, writes 503 with Retry-After as problem+json, nothing half-written, everything accepted is there, recovers by itself when there is room';

/** Moves the write-ahead log to a disk with free space. */
async function moveLog({ postgres, home }: Installation, folder: string): Promise<void> {
  await postgres.stop();
  const [from, to] = [join(folder, 'pg_wal'), join(home, 'pg_wal')];
  cpSync(from, to, { recursive: true, preserveTimestamps: true });
  spawnSync('chown', ['-R', `--reference=${from}`, to]);
  rmSync(from, { recursive: true });
  symlinkSync(to, from);
  spawnSync('chown', ['-h', `--reference=${to}`, from]);
  await postgres.start();
}

/** Switches WAL segments until Postgres stops because the disk is full. A full table alone does not stop it. */
async function untilPostgresHasStopped({ postgres }: Installation): Promise<void> {
  const client = new Client(postgres.url);
  let hasEnded = false;
  client.on('error', () => (hasEnded = true));
  await client.connect();
  for (let nth = 0; !hasEnded && nth < MAX_SEGMENTS; nth++)
    await client
      .query(`select pg_logical_emit_message(true, 'fill', 'x'), pg_switch_wal()`)
      .catch(() => (hasEnded = true));
  void client.end().catch(() => undefined);
  if (!hasEnded) throw new Error('Postgres goes on, although its only disk is full');
}

function fullDisk(name: Outage['name'], queue: 'redis' | 'postgres', isLogElsewhere: boolean): Outage {
  let disk: SmallDisk;
  const folder = (): string => join(disk.path, 'postgres');
  return {
    name,
    promise: DISK_PROMISE,
    setUp: () => {
      disk = SmallDisk.mount(DISK_MB);
      return { queue, postgresFolder: folder(), dispose: () => disk.unmount() };
    },
    observe: async ({ installation }, observations, options) => {
      if (isLogElsewhere) await moveLog(installation, folder());
      const away = async (): Promise<void> => {
        disk.fill();
        if (!isLogElsewhere) await untilPostgresHasStopped(installation);
      };
      await withoutPostgres(installation, observations, {
        ...{ seconds: options['away-s'], interrupt: away, restore: () => disk.makeRoom() },
        ...{ maxMs: MAX_MS, isReadOnly: isLogElsewhere },
      });
    },
  };
}

export const postgresFull = fullDisk(
  (options) =>
    `Postgres: disk of its tables full for ${options['away-s']} s (tmpfs of ${DISK_MB} MB, pg_wal elsewhere)`,
  'redis',
  true,
);
export const diskFull = fullDisk(
  (options) => `Postgres: only disk full for ${options['away-s']} s, so that it ends; queue in Postgres`,
  'postgres',
  false,
);

const HOME_MB = 64;
const REFRESH_MS = 60_000;
let homeDisk: SmallDisk;

export const homeFull: Outage = {
  name: () => `Disk of DONORLENS_HOME full (tmpfs of ${HOME_MB} MB), the data release not on it`,
  promise: 'a download reports that it cannot be stored, roles start and answer nevertheless, batches finish',
  setUp: async () => {
    homeDisk = SmallDisk.mount(HOME_MB);
    const publisher = createServer((request, response) => {
      const file = createReadStream(join(SAMPLE, normalize(request.url ?? '/')));
      file.on('error', () => response.writeHead(404).end());
      file.pipe(response);
    });
    await new Promise<void>((listening) => publisher.listen(0, '127.0.0.1', listening));
    const source = `http://127.0.0.1:${(publisher.address() as AddressInfo).port}`;
    return {
      queue: 'redis',
      environment: { DONORLENS_HOME: join(homeDisk.path, 'home'), DATA_SOURCE: source },
      dispose: () => {
        publisher.close();
        homeDisk.unmount();
      },
    };
  },
  observe: async ({ installation }, observations) => {
    const { apiUrls, environment } = installation;
    const refresh = () => runApp('cli', ['refresh'], environment, REFRESH_MS);
    rmSync(join(environment.DONORLENS_HOME, 'releases'), { recursive: true });
    rmSync(join(environment.DONORLENS_HOME, 'downloads'), { recursive: true, force: true });
    homeDisk.fill();
    const { code, err } = await refresh();
    const message = err.trim().split('\n').at(-1)?.replace(homeDisk.path, '…') ?? '';
    observations.add(`refresh: exit code ${code} (“${message}”)`, code !== 0 && /ENOSPC/.test(message));
    for (const role of [...installation.of('api'), ...installation.of('worker')]) {
      await role.stop();
      role.start();
    }
    await installation.ready();
    observations.add('api and worker start without the data release on their disk');
    const lookups = new RequestLoop(apiUrls, LOOKUPS);
    const batches = new BatchSender(apiUrls, 'h');
    for (let nth = 0; nth < 5; nth++) await batches.send();
    await batches.ended(END_MS);
    await lookups.stop();
    observations.add(`endpoints 1 to 4, ${lookups.description}`, areAllAnswered(lookups));
    observations.add(batches.description, batches.answers.get('202') === 5);
    await addBatches(observations, batches);
    homeDisk.makeRoom();
    const again = await refresh();
    observations.add(`refresh with room again: exit code ${again.code}`, again.code === 0);
  },
};
