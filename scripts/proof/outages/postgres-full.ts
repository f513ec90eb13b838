import { cpSync, rmSync, symlinkSync } from 'node:fs';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { Client } from 'pg';
import { type Installation } from '../installation';
import { type Asked, type Outage, type Seen, onItsOwn } from './outage';
import { withoutPostgres } from './postgres-away';
import { SmallDisk } from './small-disk';

const MEGABYTES = 500;
const MOST_MS = 15_000;

/** The log of writes goes to a disk with room, as where it has one of its own. */
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

const MOST_SEGMENTS = 1_000;

/** Writes until Postgres needs a new file of its log, has no room for it and ends: a full table alone does not end it. */
async function untilItEnds({ postgres }: Installation): Promise<void> {
  const client = new Client(postgres.url);
  let ended = false;
  client.on('error', () => (ended = true));
  await client.connect();
  for (let n = 0; !ended && n < MOST_SEGMENTS; n++)
    await client
      .query(`select pg_logical_emit_message(true, 'proof', 'x'), pg_switch_wal()`)
      .catch(() => (ended = true));
  void client.end().catch(() => undefined);
  if (!ended) throw new Error('Postgres goes on, although its only disk is full');
}

async function full({ awayS }: Asked, queue: 'redis' | 'postgres', isLogElsewhere: boolean): Promise<Seen> {
  const disk = SmallDisk.mount(MEGABYTES);
  const folder = join(disk.path, 'postgres');
  try {
    return await onItsOwn({ queue, postgresFolder: folder }, async (installation, findings) => {
      if (isLogElsewhere) await moveLog(installation, folder);
      await withoutPostgres(installation, findings, {
        awayS,
        away: async () => {
          disk.fill();
          if (!isLogElsewhere) await untilItEnds(installation);
        },
        back: () => Promise.resolve(disk.makeRoom()),
        mostMs: MOST_MS,
        isUp: isLogElsewhere,
      });
    });
  } finally {
    disk.unmount();
  }
}

const PROMISED =
  'endpoints 1 to 4 answer 200, writes 503 with Retry-After as problem+json, nothing half-written, everything accepted is there, goes on by itself when there is room';

export const postgresFull: Outage = {
  what: ({ awayS }) =>
    `Postgres: the disk of its tables full for ${awayS} s (tmpfs of ${MEGABYTES} MB, pg_wal elsewhere)`,
  promised: PROMISED,
  run: (asked) => full(asked, 'redis', true),
};

export const postgresLogFull: Outage = {
  what: ({ awayS }) => `Postgres: its only disk full for ${awayS} s, so that it ends itself; queue on Postgres, too`,
  promised: PROMISED,
  run: (asked) => full(asked, 'postgres', false),
};
