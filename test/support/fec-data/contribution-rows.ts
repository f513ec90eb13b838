import { type Pool } from 'pg';
import { ITCONT_COLUMNS } from '@donorlens/tabular';
import { COUNT_REASONS, type CountReason } from '@donorlens/campaign-finance';

/** The columns of `contribution` that charts read; the others have fixed values. */
export interface ContributionRow {
  readonly cycle: number;
  readonly rowId: number;
  readonly committeeId: string;
  readonly donorKey: number;
  readonly coarserKey: number;
  /** `yyyy-mm-dd` */
  readonly receivedOn: string | null;
  readonly moneyCents: number;
  readonly countsMoney: boolean;
  readonly countsDonor: boolean;
  readonly reason: CountReason;
  readonly earmark: 0 | 1 | 2;
  readonly state: string;
  readonly age: number | null;
  readonly ageAdult: number | null;
  readonly gender: string | null;
  readonly race: string | null;
  readonly income: number | null;
  /** Key in the birth files. */
  readonly firstName?: string | null;
  readonly occupation?: string;
  readonly employer?: string;
  readonly name?: string;
  readonly zip?: string;
}

export const GIFT: ContributionRow = {
  cycle: 2016,
  rowId: 1,
  committeeId: 'C00000001',
  donorKey: 1,
  coarserKey: 1,
  receivedOn: '2015-03-01',
  moneyCents: 2_500,
  countsMoney: true,
  countsDonor: true,
  reason: 'gift',
  earmark: 0,
  state: 'OH',
  age: 40,
  ageAdult: 44,
  gender: 'f',
  race: 'white',
  income: 54_000,
};

export async function makePartitions(pool: Pool, cycles: readonly number[]): Promise<void> {
  for (const cycle of cycles)
    await pool.query(
      `create table if not exists contribution_${cycle} partition of contribution for values in (${cycle})`,
    );
}

/** Stores or replaces rows and marks their donors as touched. */
export async function storeContributions(pool: Pool, rows: readonly ContributionRow[]): Promise<void> {
  await removeContributions(pool, rows);
  for (const row of rows)
    await pool.query(
      `with stored as (
         insert into contribution (cycle, row_id, committee_id, donor_key, donor_key_v2, received_on, money_cents,
           counts_money, counts_donor, count_reason, earmark, state, tran_id, age, age_adult, gender, race,
           hh_income_median, release_no, file_cycle, record, first_name)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $17, $10, $11, '', $12, $13, $14, $15, $16, 1, $1, $18, $19)
         returning committee_id, cycle, donor_key)
       insert into donor_touched select * from stored`,
      [
        row.cycle,
        row.rowId,
        row.committeeId,
        row.donorKey,
        row.coarserKey,
        row.receivedOn,
        row.moneyCents,
        row.countsMoney,
        row.countsDonor,
        row.earmark,
        row.state,
        row.age,
        row.ageAdult,
        row.gender,
        row.race,
        row.income,
        COUNT_REASONS.indexOf(row.reason),
        recordOf(row),
        row.firstName ?? null,
      ],
    );
}

/** The filed cells that charts read. */
const recordOf = ({ employer, occupation, name, zip }: ContributionRow): string => {
  const cells: Readonly<Record<string, string | undefined>> = {
    EMPLOYER: employer,
    OCCUPATION: occupation,
    NAME: name,
    ZIP_CODE: zip,
  };
  return ITCONT_COLUMNS.map((column) => cells[column] ?? '').join('\x1c');
};

export async function removeContributions(
  pool: Pool,
  rows: readonly Pick<ContributionRow, 'cycle' | 'rowId'>[],
): Promise<void> {
  for (const { cycle, rowId } of rows)
    await pool.query(
      `with gone as (delete from contribution where cycle = $1 and row_id = $2 returning committee_id, cycle, donor_key)
       insert into donor_touched select * from gone`,
      [cycle, rowId],
    );
}

export interface LinkageRow {
  readonly candidateId: string;
  readonly committeeId: string;
  readonly cycle: number;
  readonly designation: string;
}

/** Replaces all linkages and moves the pointer, as after an import of masters. */
export async function replaceLinkages(pool: Pool, linkages: readonly LinkageRow[]): Promise<void> {
  await pool.query('delete from linkage');
  for (const { candidateId, committeeId, cycle, designation } of linkages)
    await pool.query(`insert into linkage values ($1, $2, $3, '', 'P', $4, '')`, [
      candidateId,
      committeeId,
      cycle,
      designation,
    ]);
  await pool.query(
    `insert into pointer (name, version_id, epoch) values ('fec-masters', '1', 1)
     on conflict (name) do update set version_id = pointer.version_id::int + 1, epoch = pointer.epoch + 1`,
  );
}
