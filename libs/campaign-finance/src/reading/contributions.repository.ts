import { type Pool, type PoolClient } from 'pg';
import { DEFAULT_OFFICES, FIRST_CYCLE, type FecOffice, LAST_CYCLE, cycleOfYear, yearOf } from '@donorlens/primitives';
import { isCommitteeOf } from '../masters/committee-office.store';
import { rowIdOfFiled } from '../row-id';
import { ContributionFile } from './contribution-file';
import {
  type ContributionPart,
  type ContributionSelection,
  FILED_ROW_NAME,
  type StoredRow,
  UnknownRowError,
} from './contribution-selection';

/** Opens files of contributions. A file shows one snapshot, in the order of cycle, committee, donor and row. */
export class ContributionsRepository {
  constructor(private readonly pool: Pool) {}

  /**
   * Opens a file. The caller must read its pieces to the end or close it.
   * @throws UnknownRowError if the row of `after` is not stored
   */
  async open(selection: ContributionSelection): Promise<ContributionFile> {
    const client = await this.pool.connect();
    try {
      await client.query('begin isolation level repeatable read read only');
      // A timeout would include the time that COPY waits for a slow client. The lock comes before the snapshot: in an
      // older snapshot, a partition that an import has swapped in would have no rows.
      await client.query('set local statement_timeout = 0; lock table contribution in access share mode');
      return await this.fileOf(client, selection);
    } catch (error) {
      const failure = await client.query('rollback').then(
        () => undefined,
        (broken: Error) => broken,
      );
      client.release(failure);
      throw error;
    }
  }

  private async fileOf(client: PoolClient, selection: ContributionSelection): Promise<ContributionFile> {
    const cycles = await cyclesOf(client, selection);
    const parts = await partsOf(client, cycles, selection);
    const { after } = selection;
    const everyCycle = { ...selection, cycles: [], from: null, to: null }; // the row may be outside the selection
    const left =
      after === null ? parts : partsAfter(parts, await storedRow(client, after, await cyclesOf(client, everyCycle)));
    return new ContributionFile(client, left, selection, await releasesByNumber(client), await releaseOfCycles(client));
  }
}

async function releasesByNumber(client: PoolClient): Promise<Map<number, string>> {
  const { rows } = await client.query<{ no: number; release_id: string }>(
    'select no, release_id from enrichment_release',
  );
  return new Map(rows.map((row) => [row.no, row.release_id]));
}

async function releaseOfCycles(client: PoolClient): Promise<Map<number, number>> {
  const { rows } = await client.query<{ cycle: number; release_no: number }>(
    'select cycle, release_no from cycle_enrichment',
  );
  return new Map(rows.map((row) => [row.cycle, row.release_no]));
}

/** Cycles with contributions that the selection may include, in order. */
async function cyclesOf(client: PoolClient, { cycles, from, to }: ContributionSelection): Promise<number[]> {
  const first = from === null ? FIRST_CYCLE : cycleOfYear(yearOf(from));
  const last = to === null ? LAST_CYCLE : cycleOfYear(yearOf(to));
  const { rows } = await client.query<{ cycle: number }>(
    `select one.cycle from generate_series(${FIRST_CYCLE}, ${LAST_CYCLE}, 2) as one (cycle)
     where one.cycle between $1 and $2 and ($3::int[] = '{}' or one.cycle = any ($3))
       and exists (select 1 from contribution where contribution.cycle = one.cycle)
     order by 1`,
    [first, last, cycles],
  );
  return rows.map(({ cycle }) => cycle);
}

/** Parts of a selection in the order of the file: by cycle, then by committee. */
async function partsOf(
  client: PoolClient,
  cycles: readonly number[],
  selection: ContributionSelection,
): Promise<ContributionPart[]> {
  const parts: ContributionPart[] = [];
  for (const cycle of cycles) {
    const committees = await committeesOf(client, cycle, selection);
    const candidates = await candidatesOf(client, cycle, committees, selection);
    for (const committeeId of committees)
      parts.push({ cycle, committeeId, candidateCells: candidates.get(committeeId) ?? [''], after: null });
  }
  return parts;
}

/** The parts after a row, including the rest of its own part. */
const partsAfter = (parts: readonly ContributionPart[], row: StoredRow): ContributionPart[] =>
  parts
    .filter(({ cycle, committeeId }) => (cycle === row.cycle ? committeeId >= row.committeeId : cycle > row.cycle))
    .map((part) => (part.cycle === row.cycle && part.committeeId === row.committeeId ? { ...part, after: row } : part));

const officesOf = ({ offices = [] }: ContributionSelection): readonly FecOffice[] =>
  offices.length === 0 ? DEFAULT_OFFICES : offices;

async function committeesOf(client: PoolClient, cycle: number, selection: ContributionSelection): Promise<string[]> {
  const { candidateIds, committeeIds } = selection;
  const offices = officesOf(selection);
  const { rows } = await (candidateIds.length > 0
    ? client.query<{ id: string }>(
        `select distinct cmte_id as id from chart_link
         where cycle = $1 and cand_id = any ($2) and ($3::text[] = '{}' or cmte_id = any ($3))`,
        [cycle, candidateIds, committeeIds],
      )
    : committeeIds.length > 0
      ? client.query<{ id: string }>(
          `select distinct id from unnest($3::text[]) id where ${isCommitteeOf('$2::text[]', 'id', '$1')}`,
          [cycle, offices, committeeIds],
        )
      : client.query<{ id: string }>(EVERY_COMMITTEE, [cycle, offices]));
  return rows.map(({ id }) => id).sort();
}

/** Uses one index lookup per committee, independent of its number of contributions. */
const EVERY_COMMITTEE = `
  with recursive found (id) as (
    (select committee_id from contribution where cycle = $1 order by committee_id limit 1)
    union all
    select (select committee_id from contribution where cycle = $1 and committee_id > found.id
            order by committee_id limit 1)
    from found where found.id is not null)
  select id from found where id is not null and ${isCommitteeOf('$2::text[]', 'id', '$1')}`;

/** CAND_ID cells by committee: one per selected candidate, else all ids joined, by designation (P, A, J) and id. */
async function candidatesOf(
  client: PoolClient,
  cycle: number,
  committees: readonly string[],
  selection: ContributionSelection,
): Promise<Map<string, string[]>> {
  const { candidateIds } = selection;
  const { rows } = await client.query<{ cmte_id: string; cand_ids: string[] }>(
    `select cmte_id, array_agg(cand_id order by array_position('{P,A,J}', cmte_dsgn) nulls last, cand_id) as cand_ids
     from chart_link
     where cycle = $1 and cmte_id = any ($2) and left(cand_id, 1) = any ($4) and ($3::text[] = '{}' or cand_id = any ($3))
     group by cmte_id`,
    [cycle, committees, candidateIds, officesOf(selection)],
  );
  return new Map(rows.map((row) => [row.cmte_id, candidateIds.length > 0 ? row.cand_ids : [row.cand_ids.join(';')]]));
}

interface Row {
  readonly cycle: number;
  readonly committee_id: string;
  readonly donor_key: string;
  readonly row_id: string;
}

const POSITION_COLUMNS = 'cycle, committee_id, donor_key::text, row_id::text';
/**
 * Finds the row of a name.
 * @param name - a SUB_ID, or `CMTE_ID:FILE_NUM:TRAN_ID`
 * @param cycles - cycles that are searched
 * @throws UnknownRowError if no row matches, or several rows of filings without a number
 */
async function storedRow(client: PoolClient, name: string, cycles: readonly number[]): Promise<StoredRow> {
  const [, committeeId, fileNum, tranId] = FILED_ROW_NAME.exec(name) ?? [];
  const { rows } =
    fileNum === ''
      ? await client.query<Row>(
          `select ${POSITION_COLUMNS} from contribution
           where cycle = any ($1) and row_id < 0 and file_num < 0 and tran_id = $2
             and starts_with(record, $3 || chr(28))`,
          [cycles, tranId, committeeId],
        )
      : await client.query<Row>(`select ${POSITION_COLUMNS} from contribution where cycle = any ($1) and row_id = $2`, [
          cycles,
          fileNum === undefined ? name : rowIdOfFiled(committeeId, fileNum, tranId),
        ]);
  if (rows.length !== 1) throw new UnknownRowError(rows.length);
  const [row] = rows;
  return { cycle: row.cycle, committeeId: row.committee_id, donorKey: row.donor_key, rowId: row.row_id };
}
