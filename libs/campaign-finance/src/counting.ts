import { type CivilDay } from '@donorlens/primitives';

/** Why a row counts or does not count. The database stores the index: add new reasons only at the end. */
export const COUNT_REASONS = [
  'gift',
  'memo',
  'joint_fundraising_memo',
  'refund',
  'negative',
  'zero',
  'not_individual',
  'no_name',
  'no_date',
  'earmark',
  'conduit_copy',
  'earmark_copy',
] as const;
export type CountReason = (typeof COUNT_REASONS)[number];

/** The fields that the counting rules read. */
export interface CountedRow {
  readonly transactionType: string;
  readonly entityType: string;
  readonly memoCode: string;
  readonly memoText: string;
  /** OTHER_ID: the committee to which a conduit forwards the gift. */
  readonly otherId: string;
  /**
   * True for a row of a bulk file that is stored for its filer, not for OTHER_ID. Gifts that it forwards do not count
   * for it.
   */
  readonly isKeptForFiler: boolean;
  /** Line number of the form, such as `SA17A`; empty for a row of the bulk files. */
  readonly line: string;
  readonly amountCents: number;
  readonly hasDate: boolean;
  readonly hasName: boolean;
}

export interface Counting {
  readonly countsMoney: boolean;
  readonly countsDonor: boolean;
  readonly reason: CountReason;
  /** The amount that the row adds to the total; 0 if the row does not count. */
  readonly moneyCents: number;
  /** 0: not earmarked. 1: an earmarked gift, reported by its recipient. 2: the conduit's row for such a gift. */
  readonly earmark: 0 | 1 | 2;
}

const JOINT_FUNDRAISING = new Set(['10J', '11J', '15J', '30J', '31J', '32J']);
const EARMARKED = new Set(['15E', '30E', '31E', '32E']);
/** A memo text that says that the contribution is earmarked. */
export const EARMARK_WORD = /earmark|earmk|ermk/i;
const REFUND = /^2\dY$/;

/**
 * Decides whether a row counts as money and whether it makes a donor. The first rule that applies decides.
 * docs/data-dictionary.md lists the rules, and counting.spec.ts has worked examples.
 */
export function countingOf(row: CountedRow): Counting {
  const { amountCents } = row;
  if (isMemo(row.memoCode)) return memo(row);
  if (REFUND.test(row.transactionType) || row.line === 'SB28A')
    return { countsMoney: true, countsDonor: false, reason: 'refund', moneyCents: 0 - amountCents, earmark: 0 };
  if (amountCents === 0) return { ...NOTHING, reason: 'zero' };
  if (row.isKeptForFiler && isForwarded(row.transactionType, row.otherId))
    return { ...NOTHING, reason: 'earmark_copy' };
  const earmark = earmarkOf(row);
  const reason = noDonorReason(row) ?? EARMARK_REASONS[earmark];
  const countsDonor = reason === EARMARK_REASONS[earmark];
  return { countsMoney: true, countsDonor, reason, moneyCents: amountCents, earmark };
}

const NOTHING = { countsMoney: false, countsDonor: false, moneyCents: 0, earmark: 0 } as const;
const EARMARK_REASONS = ['gift', 'earmark', 'conduit_copy'] as const;

const isMemo = (memoCode: string): boolean => memoCode === 'X' || memoCode === 'x';
const isIndividual = (entityType: string): boolean => entityType === 'IND' || entityType === 'CAN';

/** A committee reports a donor to a joint fundraiser only as a memo item under the transfer from that fundraiser. */
function memo(row: CountedRow): Counting {
  const isDonor =
    (JOINT_FUNDRAISING.has(row.transactionType) || row.line === 'SA18') &&
    isIndividual(row.entityType) &&
    row.amountCents > 0 &&
    row.hasName &&
    row.hasDate;
  return isDonor
    ? { ...NOTHING, countsDonor: true, reason: 'joint_fundraising_memo' }
    : { ...NOTHING, reason: 'memo', earmark: isConduitRow(row) ? 2 : 0 };
}

function noDonorReason(row: CountedRow): CountReason | null {
  if (row.amountCents < 0) return 'negative';
  if (!isIndividual(row.entityType)) return 'not_individual';
  if (!row.hasName) return 'no_name';
  return row.hasDate ? null : 'no_date';
}

function earmarkOf(row: CountedRow): 0 | 1 | 2 {
  if (isConduitRow(row)) return 2;
  return EARMARKED.has(row.transactionType) || (row.memoText !== '' && EARMARK_WORD.test(row.memoText)) ? 1 : 0;
}

const isConduitRow = (row: CountedRow): boolean => !row.isKeptForFiler && isForwarded(row.transactionType, row.otherId);

/** Whether a row is a conduit's report of a gift that it forwards to the committee in OTHER_ID. */
export const isForwarded = (transactionType: string, otherId: string): boolean =>
  (transactionType === '24T' || transactionType === '24I') && COMMITTEE_ID.test(otherId);

const COMMITTEE_ID = /^C\d{8}$/;

export const MAX_DAYS_APART = 10;

/** Distinguishes a conduit's copy of a gift from another gift of the same donor to the same committee. */
export interface DatedAmount {
  readonly cents: number;
  readonly day: CivilDay;
}

/**
 * Whether a conduit's row and a committee's row of one donor can be the same gift. `conduitMatches` pairs the rows,
 * each with at most one other.
 */
export const isCopyOf = (copy: DatedAmount, gift: DatedAmount): boolean =>
  copy.cents === gift.cents && Math.abs(copy.day - gift.day) <= MAX_DAYS_APART;
