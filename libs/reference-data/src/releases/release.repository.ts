import { Inject, Injectable } from '@nestjs/common';
import { type Pool, type PoolClient } from 'pg';
import { type Fence, PG_POOL, holdLease, inTransaction, recordAudit } from '@donorlens/database';
import { UnknownReleaseError } from '../reference-data-error';
import { type Provenance, type Release, type ReleaseLabel } from './release';
import { FORMAT_VERSION, statedFormat } from './release-binary';
import { type CheckResult } from './release-checks';

/** `withdrawn`: rolled back by an operator; a refresh never activates it again by itself. */
export type ReleaseState = 'stored' | 'active' | 'kept' | 'withdrawn';

export interface StoredRelease {
  readonly id: string;
  readonly label: ReleaseLabel;
  readonly sha256: string;
  readonly bytes: number;
  readonly createdAt: Date;
  readonly state: ReleaseState;
  readonly provenance: readonly Provenance[];
  readonly checks: readonly CheckResult[];
  /** False if another version of the program has written the release. */
  readonly readable: boolean;
}

const POINTER = 'data_release';
const PART_BYTES = 1 << 20;
/** Releases before the active one that stay for a rollback. */
const KEPT = 2;
const CLAIMED_LOCK = 7_206_173; // any number: serialises moves of the pointer and clean-up

const COLUMNS = `id, label, encode(sha256, 'hex') as sha256, bytes, created_at, state, provenance, checks,
  (select substring(body for 16) from data_release_part where release_id = id and seq = 0) as head`;

interface Row {
  readonly id: string;
  readonly label: ReleaseLabel;
  readonly sha256: string;
  readonly bytes: number;
  readonly created_at: Date;
  readonly state: ReleaseState;
  readonly provenance: Provenance[];
  readonly checks: CheckResult[];
  readonly head: Buffer | null;
}

/** Releases as they are stored: tables data_release and data_release_part, and the pointer to the active one. */
@Injectable()
export class ReleaseRepository {
  constructor(@Inject(PG_POOL) private readonly pool: Pool) {}

  /** Newest first. */
  async list(): Promise<StoredRelease[]> {
    const { rows } = await this.pool.query<Row>(`select ${COLUMNS} from data_release order by created_at desc, id`);
    return rows.map(stored);
  }

  async find(id: string): Promise<StoredRelease | null> {
    const { rows } = await this.pool.query<Row>(`select ${COLUMNS} from data_release where id = $1`, [id]);
    return rows.length === 0 ? null : stored(rows[0]);
  }

  async active(): Promise<StoredRelease | null> {
    const id = await this.activeId();
    return id === null ? null : this.find(id);
  }

  /** Reads one row by primary key, because every process does it every few seconds. */
  async activeId(): Promise<string | null> {
    const { rows } = await this.pool.query<{ version_id: string | null }>(
      'select version_id from pointer where name = $1',
      [POINTER],
    );
    return rows[0]?.version_id ?? null;
  }

  /**
   * Stores a release with its parts, unless its id is stored already (the id is a hash of the content).
   * @returns true if it was new
   */
  async store(
    release: Pick<Release, 'id' | 'label' | 'sha256' | 'createdAt' | 'provenance' | 'checks'>,
    binary: Uint8Array,
  ): Promise<boolean> {
    return inTransaction(this.pool, async (client) => {
      const { rowCount } = await client.query(
        `insert into data_release (id, label, sha256, bytes, created_at, provenance, checks)
         values ($1, $2, $3, $4, $5, $6, $7) on conflict (id) do nothing`,
        [
          release.id,
          release.label,
          Buffer.from(release.sha256, 'hex'),
          binary.length,
          release.createdAt,
          JSON.stringify(release.provenance),
          JSON.stringify(release.checks),
        ],
      );
      if (rowCount === 0) return false;
      const bytes = Buffer.from(binary.buffer, binary.byteOffset, binary.length);
      for (let seq = 0; seq * PART_BYTES < bytes.length; seq++)
        await client.query('insert into data_release_part (release_id, seq, body) values ($1, $2, $3)', [
          release.id,
          seq,
          bytes.subarray(seq * PART_BYTES, (seq + 1) * PART_BYTES),
        ]);
      return true;
    });
  }

  /** The parts in order, one in memory at a time. */
  async *parts(id: string): AsyncGenerator<Buffer> {
    for (let seq = 0; ; seq++) {
      const { rows } = await this.pool.query<{ body: Buffer }>(
        'select body from data_release_part where release_id = $1 and seq = $2',
        [id, seq],
      );
      if (rows.length === 0) return;
      yield rows[0].body;
    }
  }

  /**
   * Moves the pointer and writes an audit entry in one transaction. Processes swap at their next check. Releases before
   * the previous two are deleted, unless a batch needs them.
   * @throws UnknownReleaseError, StaleFenceError; then nothing has changed
   */
  async activate(id: string, fence?: Fence): Promise<void> {
    await inTransaction(this.pool, async (client) => {
      await this.move(client, id, 'kept', fence);
      await recordAudit(client, actorOf(fence), 'release.activated', { release: id });
    });
  }

  /**
   * Back to the newest release that is older than the active one; the active one is withdrawn.
   * @returns the id that is active now
   * @throws UnknownReleaseError when there is nothing older
   */
  async rollback(fence?: Fence): Promise<string> {
    return inTransaction(this.pool, async (client) => {
      await client.query('select pg_advisory_xact_lock($1)', [CLAIMED_LOCK]);
      const { rows } = await client.query<{ id: string }>(
        `select older.id from data_release older
         join pointer on pointer.name = $1 join data_release active on active.id = pointer.version_id
         where older.created_at < active.created_at and older.state <> 'withdrawn'
         order by older.created_at desc limit 1`,
        [POINTER],
      );
      if (rows.length === 0) throw new UnknownReleaseError('before the active one');
      await this.move(client, rows[0].id, 'withdrawn', fence);
      await recordAudit(client, actorOf(fence), 'release.rolled-back-to', { release: rows[0].id });
      return rows[0].id;
    });
  }

  private async move(client: PoolClient, id: string, stateOfOld: ReleaseState, fence?: Fence): Promise<void> {
    await client.query('select pg_advisory_xact_lock($1)', [CLAIMED_LOCK]);
    if (fence) await holdLease(client, fence);
    const known = await client.query('select 1 from data_release where id = $1 for no key update', [id]);
    if (known.rowCount === 0) throw new UnknownReleaseError(id);
    await client.query(`update data_release set state = $1 where state = 'active' and id <> $2`, [stateOfOld, id]);
    await client.query(`update data_release set state = 'active' where id = $1`, [id]);
    await client.query(
      `insert into pointer (name, version_id, epoch) values ($1, $2, 1)
       on conflict (name) do update set version_id = excluded.version_id, epoch = pointer.epoch + 1, moved_at = now(),
         previous_id = case when pointer.version_id = excluded.version_id then pointer.previous_id else pointer.version_id end`,
      [POINTER, id],
    );
    await removeOld(client, id);
  }
}

/**
 * Removes releases that are older than the active one and its KEPT predecessors, unless a batch has rows of them: their
 * results name counties, and its chunks may still be waiting. A release that a batch is being accepted with right now
 * stays until the next move. Two statements, because the second must see the batches accepted before the first.
 */
async function removeOld(client: PoolClient, activeId: string): Promise<void> {
  const { rows } = await client.query<{ id: string }>(
    `select id from data_release where id in (
       select older.id from data_release older join data_release active on active.id = $1
       where older.created_at < active.created_at order by older.created_at desc offset $2)
     for update skip locked`,
    [activeId, KEPT],
  );
  await client.query(
    `delete from data_release where id = any($1)
       and not exists (select 1 from batch where batch.data_release = data_release.id and batch.state <> 'expired')`,
    [rows.map(({ id }) => id)],
  );
}

const actorOf = (fence?: Fence): string => fence?.lease ?? 'operator';

const stored = ({ created_at: createdAt, head, ...row }: Row): StoredRelease => ({
  ...row,
  createdAt,
  readable: head !== null && head.length === 16 && statedFormat(head) === FORMAT_VERSION,
});
