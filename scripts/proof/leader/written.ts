import { type Pool } from 'pg';

/**
 * Has the database itself write down who led when, and under whose epoch each write of a leader was made: what the
 * aggregators say of themselves is not asked. A trigger sees the lease as it is committed at that moment.
 */
export async function watchWrites(pool: Pool): Promise<void> {
  await pool.query(`
    create schema proof;
    create table proof.term (epoch bigint primary key, holder text not null, at timestamptz not null default clock_timestamp());
    create table proof.write (at timestamptz not null default clock_timestamp(), what text not null, id bigint not null,
      state text not null, epoch bigint not null, lease_epoch bigint not null);
    create function proof.note_term() returns trigger language plpgsql as $$
    begin
      if tg_op = 'INSERT' or new.epoch <> old.epoch then
        insert into proof.term (epoch, holder) values (new.epoch, new.holder);
      end if;
      return null;
    end $$;
    create function proof.note_write() returns trigger language plpgsql as $$
    begin
      if new.epoch > 0 then
        insert into proof.write (what, id, state, epoch, lease_epoch)
        select tg_table_name, new.id, new.state, new.epoch, lease.epoch from lease where name = 'aggregator';
      end if;
      return null;
    end $$;
    create trigger proof_term after insert or update on lease for each row when (new.name = 'aggregator')
      execute function proof.note_term();
    create trigger proof_write after insert or update on ops_request for each row execute function proof.note_write();
    create trigger proof_write after insert or update on job_run for each row execute function proof.note_write();`);
}

/** Who leads. */
export interface Lease {
  readonly epoch: bigint;
  /** Of the process on this machine. */
  readonly pid: number;
}

/** Null where nobody holds it now. */
export async function leaseOf(pool: Pool): Promise<Lease | null> {
  const { rows } = await pool.query<{ epoch: string; holder: string }>(
    `select epoch, holder from lease where name = 'aggregator' and expires_at > clock_timestamp()`,
  );
  if (rows.length === 0) return null;
  const pid = /\.(\d+)\.[\da-f]+$/.exec(rows[0].holder)?.[1];
  return { epoch: BigInt(rows[0].epoch), pid: Number(pid) };
}

/** When the term began, by the clock of this machine, which is the database's, too; null where there was none. */
export async function beginOf(pool: Pool, epoch: bigint): Promise<Date | null> {
  const { rows } = await pool.query<{ at: Date }>('select at from proof.term where epoch = $1', [String(epoch)]);
  return rows[0]?.at ?? null;
}

export interface Written {
  /** Requests of ours that ended well. */
  readonly done: number;
  /** Those that ended more than once, or otherwise than well. */
  readonly wrong: number;
  /** Moves of the pointer to a release. */
  readonly activations: number;
  /** Requests that a next leader began again. */
  readonly takenOver: number;
  readonly terms: number;
  /** Terms that have not the epoch after the one before. */
  readonly gaps: number;
  /** Writes under an epoch that was not that of the lease. */
  readonly stale: number;
  readonly writes: number;
}

/** Where the counting begins. */
export interface Mark {
  readonly request: string;
  readonly audit: string;
}

export async function mark(pool: Pool): Promise<Mark> {
  const { rows } = await pool.query<Mark>(
    `select (select coalesce(max(id), 0) from ops_request) as request, (select coalesce(max(id), 0) from audit) as audit`,
  );
  return rows[0];
}

/** @param actor who asked for the ticks */
export async function writtenSince(pool: Pool, since: Mark, actor: string): Promise<Written> {
  const { rows } = await pool.query<Written>(
    `with mine as (select w.id, w.state from proof.write w join ops_request r on r.id = w.id
                   where w.what = 'ops_request' and r.actor = $3 and r.id > $1),
          ended as (select id, count(*) filter (where state in ('done', 'failed')) as ends,
                           bool_and(state <> 'failed') as well, count(*) filter (where state = 'running') as begun
                    from mine group by id)
     select (select count(*)::int from ended where ends = 1 and well) as done,
            (select count(*)::int from ended where ends <> 1 or not well) as wrong,
            (select count(*)::int from audit where action = 'release.activated' and id > $2) as activations,
            (select count(*)::int from ended where begun > 1) as "takenOver",
            (select count(*)::int from proof.term) as terms,
            (select count(*)::int from proof.term t
               where epoch > (select min(epoch) from proof.term)
                 and not exists (select from proof.term b where b.epoch = t.epoch - 1)) as gaps,
            (select count(*)::int from proof.write where epoch <> lease_epoch) as stale,
            (select count(*)::int from proof.write) as writes`,
    [since.request, since.audit, actor],
  );
  return rows[0];
}
