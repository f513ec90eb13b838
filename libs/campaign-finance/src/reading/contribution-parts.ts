import { type PoolClient } from 'pg';
import { FIRST_CYCLE, cycleOfYear, yearOf } from '@donorlens/primitives';
import { type ContributionSelection } from './contribution-selection';
import { type StoredRow } from './stored-row';

/** Contributions of one committee in one cycle. They lie side by side in an index, in the order in which they leave. */
export interface ContributionPart {
  readonly cycle: number;
  readonly committeeId: string;
  /** Whom the committee's money and donors of the cycle belong to; '' where no linkage says so. */
  readonly candidateId: string;
  /** Rows up to this one have left before. */
  readonly behind: StoredRow | null;
}

/** Cycles later than this are no cycles. */
const LAST_CYCLE = 2098;

/** Cycles that have contributions and can have some of those asked for, in order. */
export async function cyclesOf(client: PoolClient, { cycles, from, to }: ContributionSelection): Promise<number[]> {
  const first = from === null ? FIRST_CYCLE : cycleOfYear(yearOf(from));
  const last = to === null ? LAST_CYCLE : cycleOfYear(yearOf(to));
  const { rows } = await client.query<{ cycle: number }>(
    `select asked.cycle from generate_series(${FIRST_CYCLE}, ${LAST_CYCLE}, 2) as asked (cycle)
     where asked.cycle between $1 and $2 and ($3::int[] = '{}' or asked.cycle = any ($3))
       and exists (select 1 from contribution where contribution.cycle = asked.cycle)
     order by 1`,
    [first, last, cycles],
  );
  return rows.map(({ cycle }) => cycle);
}

/** The parts a selection consists of, in the order of the file: by cycle, then by committee. */
export async function partsOf(
  client: PoolClient,
  cycles: readonly number[],
  selection: ContributionSelection,
): Promise<ContributionPart[]> {
  const parts: ContributionPart[] = [];
  for (const cycle of cycles) {
    const committees = await committeesOf(client, cycle, selection);
    const candidates = await candidatesOf(client, cycle, committees, selection.candidateIds);
    for (const committeeId of committees)
      parts.push({ cycle, committeeId, candidateId: candidates.get(committeeId) ?? '', behind: null });
  }
  return parts;
}

/** What is left of the parts behind a row. */
export const partsBehind = (parts: readonly ContributionPart[], row: StoredRow): ContributionPart[] =>
  parts
    .filter(({ cycle, committeeId }) => (cycle === row.cycle ? committeeId >= row.committeeId : cycle > row.cycle))
    .map((part) =>
      part.cycle === row.cycle && part.committeeId === row.committeeId ? { ...part, behind: row } : part,
    );

async function committeesOf(
  client: PoolClient,
  cycle: number,
  { candidateIds, committeeIds }: ContributionSelection,
): Promise<string[]> {
  if (candidateIds.length === 0 && committeeIds.length > 0) return [...new Set(committeeIds)].sort();
  const { rows } = await (candidateIds.length > 0
    ? client.query<{ id: string }>(
        `select distinct cmte_id as id from chart_link
         where cycle = $1 and cand_id = any ($2) and ($3::text[] = '{}' or cmte_id = any ($3))`,
        [cycle, candidateIds, committeeIds],
      )
    : client.query<{ id: string }>(EVERY_COMMITTEE, [cycle]));
  return rows.map(({ id }) => id).sort();
}

/** One step in the index for each committee, however many contributions it has. */
const EVERY_COMMITTEE = `
  with recursive found (id) as (
    (select committee_id from contribution where cycle = $1 order by committee_id limit 1)
    union all
    select (select committee_id from contribution where cycle = $1 and committee_id > found.id
            order by committee_id limit 1)
    from found where found.id is not null)
  select id from found where id is not null`;

/** One candidate for each committee: one that was asked for, else by designation (own before joint), else the lowest id. */
async function candidatesOf(
  client: PoolClient,
  cycle: number,
  committees: readonly string[],
  asked: readonly string[],
): Promise<Map<string, string>> {
  const { rows } = await client.query<{ cmte_id: string; cand_id: string }>(
    `select distinct on (cmte_id) cmte_id, cand_id from chart_link
     where cycle = $1 and cmte_id = any ($2)
     order by cmte_id, cand_id = any ($3) desc, array_position('{P,A,J}', cmte_dsgn) nulls last, cand_id`,
    [cycle, committees, asked],
  );
  return new Map(rows.map((row) => [row.cmte_id, row.cand_id]));
}
