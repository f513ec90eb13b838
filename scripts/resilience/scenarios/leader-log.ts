import { type Pool } from 'pg';

export interface WriteLog {
  /** Requests that were completed exactly once. */
  readonly done: number;
  /** Requests that ended more than once or failed. */
  readonly wrong: number;
  readonly activations: number;
  /** Requests that a second leader started again. */
  readonly takenOver: number;
  readonly terms: number;
  /** Terms whose fencing token is not the previous token plus one. */
  readonly gaps: number;
  /** Writes whose fencing token differs from that of the lease. */
  readonly stale: number;
}

/** The newest ids before the log begins. */
export interface LogStart {
  readonly request: string;
  readonly audit: string;
}

/**
 * Installs triggers that log terms and writes of leaders in the database, so that the test does not rely on reports
 * of aggregators. A trigger reads the lease as it is committed at that moment.
 */
export async function startLog(pool: Pool): Promise<LogStart> {
  await pool.query(`
    create schema resilience;
    create table resilience.term (epoch bigint primary key, holder text not null, at timestamptz not null default clock_timestamp());
    create table resilience.write (what text not null, id bigint not null, state text not null, epoch bigint not null,
      lease_epoch bigint not null);
    create function resilience.log_term() returns trigger language plpgsql as $$
    begin
      if tg_op = 'INSERT' or new.epoch <> old.epoch then
        insert into resilience.term (epoch, holder) values (new.epoch, new.holder);
      end if;
      return null;
    end $$;
    create function resilience.log_write() returns trigger language plpgsql as $$
    begin
      if new.epoch > 0 then
        insert into resilience.write select tg_table_name, new.id, new.state, new.epoch, lease.epoch
        from lease where name = 'aggregator';
      end if;
      return null;
    end $$;
    create trigger log_term after insert or update on lease for each row when (new.name = 'aggregator')
      execute function resilience.log_term();
    create trigger log_write after insert or update on ops_request for each row execute function resilience.log_write();
    create trigger log_write after insert or update on job_run for each row execute function resilience.log_write();`);
  const { rows } = await pool.query<LogStart>(
    `select (select coalesce(max(id), 0) from ops_request) as request, (select coalesce(max(id), 0) from audit) as audit`,
  );
  return rows[0];
}

export async function readLog(pool: Pool, since: LogStart): Promise<WriteLog> {
  const { rows } = await pool.query<WriteLog>(
    `with mine as (select w.id, w.state from resilience.write w join ops_request r on r.id = w.id
                   where w.what = 'ops_request' and r.actor = 'resilience test' and r.id > $1),
          ended as (select id, count(*) filter (where state in ('done', 'failed')) as ends,
                           bool_and(state <> 'failed') as well, count(*) filter (where state = 'running') as begun
                    from mine group by id)
     select (select count(*)::int from ended where ends = 1 and well) as done,
            (select count(*)::int from ended where ends <> 1 or not well) as wrong,
            (select count(*)::int from audit where action = 'release.activated' and id > $2) as activations,
            (select count(*)::int from ended where begun > 1) as "takenOver",
            (select count(*)::int from resilience.term) as terms,
            (select count(*)::int from resilience.term t
               where epoch > (select min(epoch) from resilience.term)
                 and not exists (select from resilience.term b where b.epoch = t.epoch - 1)) as gaps,
            (select count(*)::int from resilience.write where epoch <> lease_epoch) as stale`,
    [since.request, since.audit],
  );
  return rows[0];
}
