import { type ContributionSelection, isRowName } from '@donorlens/campaign-finance';
import { parseCivilDay } from '@donorlens/primitives';
import { type FastifyRequest } from 'fastify';
import { z } from 'zod';
import { ParameterReader, type QueryParameters } from '../http/query-parameters';
import { type QueryParameter } from '../http/route-policy';
import { CANDIDATE_ID, COMMITTEE_ID, CYCLE } from './list-parameter';
import { readLists, requireOne } from './table-query';

const day = (name: string, description: string): QueryParameter => ({
  name,
  description,
  schema: z.string().meta({ format: 'date' }),
});

const MOST_ROWS = 999_999_999;

export const CONTRIBUTION_PARAMETERS: readonly QueryParameter[] = [
  CANDIDATE_ID,
  COMMITTEE_ID,
  CYCLE,
  day('date_from', 'First day, yyyy-mm-dd. Rows without a valid date are in no range.'),
  day('date_to', 'Last day, yyyy-mm-dd.'),
  { name: 'limit', description: 'At most so many rows.', schema: z.int().min(1).max(MOST_ROWS), example: 20 },
  {
    name: 'after',
    description: 'Go on behind this row: its SUB_ID, or CMTE_ID:FILE_NUM:TRAN_ID where it has none.',
    schema: z.string().max(200),
  },
];

const OWN = ['candidate_id', 'committee_id', 'cycle', 'date_from', 'date_to'];

/** @throws Problem 400 */
export function contributionQuery(request: FastifyRequest): { selection: ContributionSelection; raw: boolean } {
  const query = request.query as QueryParameters;
  const reader = new ParameterReader(query);
  const own = [CANDIDATE_ID, COMMITTEE_ID, CYCLE];
  const lists = readLists(reader, query, own, [], ['date_from', 'date_to', 'limit', 'after']);
  requireOne(reader, query, OWN);
  const [from, to] = [dayOf(reader, 'date_from'), dayOf(reader, 'date_to')];
  if (from !== null && to !== null && from > to) reader.wrong('date_to', 'must not be before date_from');
  const after = reader.text('after') ?? null;
  if (after !== null && !isRowName(after)) reader.wrong('after', 'must be a SUB_ID, or CMTE_ID:FILE_NUM:TRAN_ID');
  const limit = reader.wholeNumber('limit', 1, MOST_ROWS) ?? null;
  reader.oneOf('format', ['csv']);
  const raw = reader.flag('raw');
  reader.finish();
  const selection = {
    candidateIds: lists.candidate_id,
    committeeIds: lists.committee_id,
    cycles: lists.cycle.map(Number),
    from,
    to,
    after,
    limit,
  };
  return { selection, raw };
}

function dayOf(reader: ParameterReader, name: string): number | null {
  const text = reader.text(name);
  if (text === undefined) return null;
  const day = parseCivilDay(text);
  if (Number.isNaN(day)) reader.wrong(name, 'must be a real date yyyy-mm-dd');
  return day;
}
