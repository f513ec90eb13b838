import { type CivilDay, type NameDetail, GEOCODE_OUTCOMES, formatCivilDay } from '@donorlens/primitives';
import { ITCONT_COLUMNS } from '@donorlens/tabular';
import { type ContributionPart, type ContributionSelection } from './contribution-selection';

/** Value of the place column if the address has no outcome yet. The column is empty if the row has no address. */
export const PENDING = 'P'.charCodeAt(0);
/** Statuses by number: the stored outcomes, then the two statuses of rows without a location. */
export const STATUSES = [...GEOCODE_OUTCOMES, 'PENDING', 'SKIPPED'] as const;
export const PENDING_STATUS = STATUSES.indexOf('PENDING');
export const SKIPPED_STATUS = STATUSES.indexOf('SKIPPED');

/** Place of a row with an address: outcome, county, tract, block and address id. One lookup by key per row. */
const PLACE = `case when address_key is null then '' else coalesce((
    select concat_ws(',', l.outcome, coalesce(l.fips, ''), coalesce(l.tract, ''), coalesce(l.block, ''),
      coalesce(encode(l.address_id, 'hex'), ''))
    from location l where l.address_key = contribution.address_key), 'P') end`;

/** The columns that `ContributionWriter` reads, in this order, as COPY text in which null is empty. */
export const COPY_COLUMNS = `record, age, gender, race,
  pct_white, pct_black, pct_api, pct_aian, pct_2prace, pct_hispanic,
  ${PLACE}, counts_money, counts_donor, is_copy, count_reason, release_no`;

/** Functions that compute the detail columns of a row. */
export interface RowDetail {
  readonly donorIdOf: (donorKey: string) => string;
  /** Null if the row was enriched with a data release other than the current one. */
  readonly nameDetailOf: (
    filed: { readonly name: string; readonly entityType: string; readonly on: CivilDay | null },
    releaseId: string,
  ) => NameDetail | null;
}

/** With detail, these columns follow COPY_COLUMNS. */
const DETAIL_COLUMNS = `, received_on - date '1970-01-01', donor_key`;

/** SQL expression for a cell of the record as filed. */
export const filedCell = (contribution: string, name: (typeof ITCONT_COLUMNS)[number]): string =>
  `split_part(${contribution}.record, chr(28), ${ITCONT_COLUMNS.indexOf(name) + 1})`;

function conditionsOf({ cycle, committeeId, after }: ContributionPart, { from, to }: ContributionSelection): string {
  return [
    `cycle = ${cycle}`,
    `committee_id = '${committeeId.replaceAll("'", "''")}'`,
    ...(after ? [`(donor_key, row_id) > (${after.donorKey}, ${after.rowId})`] : []),
    ...(from === null ? [] : [`received_on >= '${formatCivilDay(from)}'`]),
    ...(to === null ? [] : [`received_on <= '${formatCivilDay(to)}'`]),
  ].join(' and ');
}

/** Statement that counts at most `maxRows` rows of a part. */
export const countStatement = (part: ContributionPart, selection: ContributionSelection, maxRows: number): string =>
  `select count(*)::int as rows from (select from contribution where ${conditionsOf(part, selection)} limit ${maxRows}) as one`;

/** COPY statement of the rows of a part, in the order of the file. */
export const copyStatement = (
  part: ContributionPart,
  selection: ContributionSelection,
  { maxRows, detail }: { readonly maxRows: number; readonly detail: boolean },
): string =>
  `copy (select ${COPY_COLUMNS}${detail ? DETAIL_COLUMNS : ''} from contribution where ${conditionsOf(part, selection)}
      order by donor_key, row_id ${maxRows === Infinity ? '' : `limit ${maxRows}`}) to stdout (null '')`;
