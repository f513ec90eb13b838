import { type Pool, type PoolClient } from 'pg';
import { type VersionDetail } from '../charts-version';
import { type RefreshStep } from './refresh-step';

/** Key of the advisory lock that a refresh holds until its transaction ends. */
const REFRESH_LOCK = 7_206_174;
/** Memory for sorts and for the index of all donors of a large cycle. */
const WORK_MEMORY = '128MB';

/** Folding a touched donor takes about five times as long as folding a donor in a rebuild. */
const REBUILD_RATIO = 5;
/** A refresh folds fewer touched donors than this in seconds. */
const MIN_TOUCHED_TO_REBUILD = 100_000;

export interface CurrentCharts {
  readonly versionId: string;
  readonly detail: VersionDetail;
}

export interface FoldedChanges {
  readonly series: number;
  readonly donors: number;
  readonly changed: number;
  /** whether a pair or the newest contribution date of a cycle has changed */
  readonly isChanged: boolean;
}

/** Runs the steps and the other statements of a refresh, on the connection of its transaction. */
export class RefreshRepository {
  constructor(private readonly client: PoolClient) {}

  /**
   * Locks refreshes; waits for a running refresh.
   * @throws a database error 55P03 after `waitMs`
   */
  async lock(waitMs: number): Promise<void> {
    await this.client.query(`set local lock_timeout = ${Math.trunc(waitMs)}`);
    await this.client.query('select pg_advisory_xact_lock($1)', [REFRESH_LOCK]);
    await this.client.query('set local lock_timeout to default');
  }

  /** Settings of the steps: memory for sorts, and no JIT, because compiling takes longer than these statements. */
  async prepare(): Promise<void> {
    await this.client.query(`set local work_mem = '${WORK_MEMORY}'; set local maintenance_work_mem = '${WORK_MEMORY}'`);
    await this.client.query('set local jit = off');
  }

  async run(steps: readonly RefreshStep[]): Promise<void> {
    for (const { sql } of steps) await this.client.query(sql);
  }

  /** Cycles with contributions. Finds each next cycle by an index lookup. */
  async cycles(): Promise<number[]> {
    const { rows } = await this.client.query<{ cycle: number }>(
      `with recursive y as (
         select min(cycle) as cycle from contribution
         union all select (select min(cycle) from contribution c where c.cycle > y.cycle) from y where y.cycle is not null)
       select cycle from y where cycle is not null`,
    );
    return rows.map(({ cycle }) => cycle);
  }

  async current(): Promise<CurrentCharts | null> {
    const { rows } = await this.client.query<{ id: string; detail: VersionDetail }>(
      `select v.id, v.detail from pointer p join chart_version v on v.id = p.version_id::bigint where p.name = 'charts'`,
    );
    return rows.length === 0 ? null : { versionId: rows[0].id, detail: rows[0].detail };
  }

  /** Whether folding all donors is faster, because so many are touched, for example by the first file of a cycle. */
  async shouldRebuild(): Promise<boolean> {
    const { rows: touched } = await this.client.query<{ n: number }>('select count(*)::int as n from donor_touched');
    if (touched[0].n < MIN_TOUCHED_TO_REBUILD) return false;
    const limit = touched[0].n * REBUILD_RATIO;
    const { rows } = await this.client.query<{ n: number }>(
      'select count(*)::int as n from (select from donor_first limit $1) donor',
      [limit],
    );
    return rows[0].n < limit;
  }

  /** Call this before linkages are read, so that masters imported in between count as newer in the next refresh. */
  async masters(): Promise<string | null> {
    const { rows } = await this.client.query<{ version_id: string | null }>(
      `select version_id from pointer where name = 'fec-masters'`,
    );
    return rows[0]?.version_id ?? null;
  }

  /** Counts the changes that the fold of touched donors has found. */
  changesOfTouched(versionId: string): Promise<FoldedChanges> {
    return this.changes(
      `(select count(*) from touched)`,
      `(select count(*) from (select distinct entity_id, cycle, donor_key from donor_change) donor)`,
      versionId,
    );
  }

  changesOfAll(): Promise<FoldedChanges> {
    return this.changes(
      `(select count(*) from donor_first)`,
      `(select count(*) from donor_first) + (select count(*) from candidate_now)`,
      null,
    );
  }

  private async changes(donors: string, changed: string, versionId: string | null): Promise<FoldedChanges> {
    const { rows } = await this.client.query<FoldedChanges>(
      `select (select count(*) from changed_pair where entity_id not like '%:%')::int as series,
         (${donors})::int as donors, (${changed})::int as changed,
         exists (select from changed_pair) or exists (
           select from cycle_now n
           full join (select cycle, office, newest_on from chart_cycle where version_id = $1) before using (cycle, office)
           where n.newest_on is distinct from before.newest_on) as "isChanged"`,
      [versionId],
    );
    return rows[0];
  }

  /** Creates the version and the table `next_version`, which the steps read. */
  async beginVersion(series: number, detail: VersionDetail, previousId: string | null): Promise<string> {
    const { rows } = await this.client.query<{ id: string }>(
      'insert into chart_version (built_at, series, detail) values (clock_timestamp(), $1, $2) returning id',
      [series, JSON.stringify(detail)],
    );
    await this.client.query('create temp table next_version (id bigint, previous_id bigint) on commit drop');
    await this.client.query('insert into next_version values ($1, $2)', [rows[0].id, previousId]);
    return rows[0].id;
  }

  /** Makes the version current. Readers see it after the commit. */
  async movePointer(versionId: string): Promise<void> {
    await this.client.query(
      `insert into pointer (name, version_id, epoch) values ('charts', $1, 1)
       on conflict (name) do update set version_id = excluded.version_id, previous_id = pointer.version_id,
         epoch = pointer.epoch + 1, moved_at = now()`,
      [versionId],
    );
  }

  /** Records that the linkages of these masters were read and changed nothing. */
  async storeMasters(versionId: string, masters: string | null): Promise<void> {
    await this.client.query(
      `update chart_version set detail = detail || jsonb_build_object('masters', $2::text) where id = $1`,
      [versionId, masters],
    );
  }
}

/** Each refresh empties the table; without a vacuum, later refreshes would read its dead rows. */
export async function vacuumTouched(pool: Pool): Promise<void> {
  await pool.query('vacuum (skip_locked) donor_touched');
}
