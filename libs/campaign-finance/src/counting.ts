import { type CivilDay } from '@donorlens/primitives';

/** Why a row counts or does not. Stored as its index: only ever added to at the end. */
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

/** What the rules look at. */
export interface CountedRow {
  readonly transactionType: string;
  readonly entityType: string;
  readonly memoCode: string;
  readonly memoText: string;
  /** Committee that a conduit passes the gift on to. */
  readonly otherId: string;
  /** True if the row is stored for its filer although the filer forwards it: then it is no gift to the filer. */
  readonly isFilers: boolean;
  /** Line of the form, `SA17A`; '' for a row of the bulk files. */
  readonly line: string;
  readonly amountCents: number;
  readonly hasDate: boolean;
  readonly hasName: boolean;
}

export interface Counting {
  readonly countsMoney: boolean;
  readonly countsDonor: boolean;
  readonly reason: CountReason;
  /** Amount that counts as money; 0 if the row does not count. */
  readonly moneyCents: number;
  /** 0 none, 1 an earmarked gift at its committee, 2 a conduit's copy of one. */
  readonly earmark: 0 | 1 | 2;
}

const JOINT_FUNDRAISING = new Set(['10J', '11J', '15J', '30J', '31J', '32J']);
const EARMARKED = new Set(['15E', '30E', '31E', '32E']);
const EARMARK_WORD = /earmark|earmk|ermk/i;
const REFUND = /^2\dY$/;

/**
 * Whether a row counts as money and makes a donor, by the first rule that speaks. docs/data-dictionary.md lists them;
 * worked examples in counting.spec.ts.
 */
export function countingOf(row: CountedRow): Counting {
  const { amountCents } = row;
  if (isMemo(row.memoCode)) return memo(row);
  if (REFUND.test(row.transactionType) || row.line === 'SB28A')
    return { countsMoney: true, countsDonor: false, reason: 'refund', moneyCents: 0 - amountCents, earmark: 0 };
  if (amountCents === 0) return { ...NOTHING, reason: 'zero' };
  if (row.isFilers && isPassedOn(row.transactionType, row.otherId)) return { ...NOTHING, reason: 'earmark_copy' };
  const earmark = earmarkOf(row);
  const reason = noDonorReason(row) ?? EARMARK_REASONS[earmark];
  const countsDonor = reason === EARMARK_REASONS[earmark];
  return { countsMoney: true, countsDonor, reason, moneyCents: amountCents, earmark };
}

const NOTHING = { countsMoney: false, countsDonor: false, moneyCents: 0, earmark: 0 } as const;
const EARMARK_REASONS = ['gift', 'earmark', 'conduit_copy'] as const;

const isMemo = (memoCode: string): boolean => memoCode === 'X' || memoCode === 'x';
const isIndividual = (entityType: string): boolean => entityType === 'IND' || entityType === 'CAN';

/** A donor to a joint fundraiser is filed at the committee only as a memo item under its transfer. */
function memo(row: CountedRow): Counting {
  const isDonor =
    (JOINT_FUNDRAISING.has(row.transactionType) || row.line === 'SA18') &&
    isIndividual(row.entityType) &&
    row.amountCents > 0 &&
    row.hasName &&
    row.hasDate;
  return isDonor
    ? { ...NOTHING, countsDonor: true, reason: 'joint_fundraising_memo' }
    : { ...NOTHING, reason: 'memo', earmark: isConduits(row) ? 2 : 0 };
}

function noDonorReason(row: CountedRow): CountReason | null {
  if (row.amountCents < 0) return 'negative';
  if (!isIndividual(row.entityType)) return 'not_individual';
  if (!row.hasName) return 'no_name';
  return row.hasDate ? null : 'no_date';
}

function earmarkOf(row: CountedRow): 0 | 1 | 2 {
  if (isConduits(row)) return 2;
  return EARMARKED.has(row.transactionType) || (row.memoText !== '' && EARMARK_WORD.test(row.memoText)) ? 1 : 0;
}

const isConduits = (row: CountedRow): boolean => !row.isFilers && isPassedOn(row.transactionType, row.otherId);

/** A conduit's row for the committee in OTHER_ID. */
export const isPassedOn = (transactionType: string, otherId: string): boolean =>
  (transactionType === '24T' || transactionType === '24I') && COMMITTEE_ID.test(otherId);

const COMMITTEE_ID = /^C\d{8}$/;

export const MAX_DAYS_APART = 10;

/** Distinguishes a conduit's copy from other gifts of the donor to the committee. */
export interface DatedAmount {
  readonly cents: number;
  readonly day: CivilDay;
}

/**
 * True when a conduit's row and a committee's, of one donor, can be the same gift; `conduitMatches` pairs them, each
 * row with one.
 */
export const isCopyOf = (copy: DatedAmount, gift: DatedAmount): boolean =>
  copy.cents === gift.cents && Math.abs(copy.day - gift.day) <= MAX_DAYS_APART;
