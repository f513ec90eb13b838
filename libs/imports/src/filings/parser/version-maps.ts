/**
 * Numbers of the columns that are read in each version of the format, from 1; 0: the version has no such column.
 * Source of these facts: the FEC's format specifications as tabled by dwillis/fech-sources (SchA, SchB, F3, F3P, F3X)
 * and esonderegger/fecfile (header); checked against filings of versions 2.02, 3.00, 8.0, 8.2 and 8.3.
 */

/** A receipt (SA) or disbursement (SB): the person is its contributor or payee. */
export interface ItemColumns {
  readonly transactionId: number;
  readonly entityType: number;
  /** `LAST^FIRST^PREFIX^SUFFIX` in one column. Later versions have a column for each part. */
  readonly name: number;
  readonly organization: number;
  /** First of the adjacent columns last name, first name, middle name, prefix, suffix. */
  readonly lastName: number;
  /** First of the adjacent columns street 1, street 2, city, state, ZIP. */
  readonly street1: number;
  readonly electionCode: number;
  readonly date: number;
  readonly amount: number;
  readonly purpose: number;
  readonly employer: number;
  readonly occupation: number;
  readonly otherCommittee: number;
  readonly memoCode: number;
  readonly memoText: number;
}

/** Columns of the form. Amounts are those of the coverage period. */
export interface CoverColumns {
  readonly reportCode: number;
  readonly coverageFrom: number;
  readonly coverageTo: number;
  readonly itemized: number;
  readonly unitemized: number;
  readonly individuals: number;
  readonly refunds: number;
}

/** F3 is the report of committees of candidates for House and Senate, F3P for President, F3X of other committees. */
export type FormKind = 'F3' | 'F3P' | 'F3X';

export interface VersionMap {
  readonly receipt: ItemColumns;
  readonly disbursement: ItemColumns;
  readonly cover: Readonly<Record<FormKind, CoverColumns>>;
}

const MODERN = {
  transactionId: 3,
  entityType: 6,
  name: 0,
  organization: 7,
  lastName: 8,
  street1: 13,
  electionCode: 18,
  date: 20,
  amount: 21,
};
const PAYEE = { employer: 0, occupation: 0 };

const OLD_RECEIPT: ItemColumns = {
  transactionId: 34,
  entityType: 3,
  name: 4,
  organization: 39,
  lastName: 40,
  street1: 5,
  electionCode: 10,
  date: 15,
  amount: 16,
  purpose: 18,
  employer: 12,
  occupation: 13,
  otherCommittee: 19,
  memoCode: 31,
  memoText: 32,
};
const OLD_DISBURSEMENT: ItemColumns = {
  ...PAYEE,
  transactionId: 31,
  entityType: 3,
  name: 4,
  organization: 38,
  lastName: 39,
  street1: 5,
  electionCode: 12,
  date: 14,
  amount: 15,
  purpose: 11,
  otherCommittee: 16,
  memoCode: 28,
  memoText: 29,
};

/** Version 1 has no entity type, so all later columns are one column earlier, and no transaction ids. */
const first = (columns: ItemColumns): ItemColumns => ({
  ...(Object.fromEntries(
    Object.entries(columns).map(([name, column]) => [name, Math.max(column - 1, 0)]),
  ) as unknown as ItemColumns),
  transactionId: 0,
  entityType: 0,
  organization: 0,
  lastName: 0,
});

const F3P_MODERN: CoverColumns = {
  reportCode: 12,
  coverageFrom: 16,
  coverageTo: 17,
  itemized: 35,
  unitemized: 36,
  individuals: 37,
  refunds: 59,
};
/** Before version 7, a presidential report has one line 17(a) for all gifts of individuals. */
const F3P_6: CoverColumns = { ...F3P_MODERN, itemized: 0, unitemized: 0, individuals: 35, refunds: 57 };
const F3P_OLD: CoverColumns = { ...F3P_6, individuals: 29, refunds: 51 };
const F3_MODERN: CoverColumns = {
  reportCode: 12,
  coverageFrom: 16,
  coverageTo: 17,
  itemized: 33,
  unitemized: 34,
  individuals: 35,
  refunds: 52,
};
/** Versions 6.1 to 6.3 have seven columns about the candidate before the amounts. */
const F3_6: CoverColumns = { ...F3_MODERN, itemized: 40, unitemized: 41, individuals: 42, refunds: 59 };
const F3_OLD: CoverColumns = {
  reportCode: 12,
  coverageFrom: 20,
  coverageTo: 21,
  itemized: 31,
  unitemized: 32,
  individuals: 33,
  refunds: 50,
};
const F3X_MODERN: CoverColumns = {
  reportCode: 10,
  coverageFrom: 14,
  coverageTo: 15,
  itemized: 30,
  unitemized: 31,
  individuals: 32,
  refunds: 57,
};
const F3X_OLD: CoverColumns = {
  reportCode: 11,
  coverageFrom: 15,
  coverageTo: 16,
  itemized: 24,
  unitemized: 25,
  individuals: 26,
  refunds: 49,
};

const VERSION_8: VersionMap = {
  receipt: { ...MODERN, purpose: 23, employer: 24, occupation: 25, otherCommittee: 26, memoCode: 43, memoText: 44 },
  disbursement: { ...MODERN, ...PAYEE, purpose: 23, otherCommittee: 25, memoCode: 42, memoText: 43 },
  cover: { F3: F3_MODERN, F3P: F3P_MODERN, F3X: F3X_MODERN },
};
const VERSION_7: VersionMap = {
  receipt: { ...MODERN, purpose: 24, employer: 25, occupation: 26, otherCommittee: 27, memoCode: 44, memoText: 45 },
  disbursement: { ...MODERN, ...PAYEE, purpose: 24, otherCommittee: 26, memoCode: 43, memoText: 44 },
  cover: { F3: F3_MODERN, F3P: F3P_MODERN, F3X: F3X_MODERN },
};
const VERSION_6_4: VersionMap = { ...VERSION_7, cover: { F3: F3_MODERN, F3P: F3P_6, F3X: F3X_MODERN } };
const VERSION_6_2: VersionMap = {
  receipt: { ...MODERN, purpose: 24, employer: 26, occupation: 27, otherCommittee: 28, memoCode: 45, memoText: 46 },
  disbursement: { ...MODERN, ...PAYEE, purpose: 23, otherCommittee: 27, memoCode: 44, memoText: 45 },
  cover: { F3: F3_6, F3P: F3P_6, F3X: F3X_MODERN },
};
const VERSION_6_1: VersionMap = {
  receipt: { ...VERSION_6_2.receipt, memoCode: 44, memoText: 45 },
  disbursement: { ...VERSION_6_2.disbursement, memoCode: 43, memoText: 44 },
  cover: VERSION_6_2.cover,
};
const VERSION_2_TO_5: VersionMap = {
  receipt: OLD_RECEIPT,
  disbursement: OLD_DISBURSEMENT,
  cover: { F3: F3_OLD, F3P: F3P_OLD, F3X: F3X_OLD },
};
const VERSION_1: VersionMap = {
  receipt: first(OLD_RECEIPT),
  disbursement: first(OLD_DISBURSEMENT),
  cover: VERSION_2_TO_5.cover,
};

const VERSIONS: readonly (readonly [RegExp, VersionMap])[] = [
  [/^8\.[0-5]$/, VERSION_8],
  [/^7\.0$/, VERSION_7],
  [/^6\.4$/, VERSION_6_4],
  [/^6\.[23]$/, VERSION_6_2],
  [/^6\.1$/, VERSION_6_1],
  [/^5\.[0-3]\d?$|^[23]\.\d\d?$/, VERSION_2_TO_5],
  [/^1\.\d\d?$/, VERSION_1],
];

/** Columns of a version as the header of a filing states it (`8.3`, `3.00`, `2.02`); null for an unknown version. */
export const versionMap = (version: string): VersionMap | null =>
  VERSIONS.find(([pattern]) => pattern.test(version))?.[1] ?? null;

/**
 * Columns of a line. Since version 6, the last column is a system code after the memo text; null for earlier versions.
 */
export function lineWidth(kind: string, { receipt, disbursement }: VersionMap, separator: string): number | null {
  if (separator === ',' || !/^S[AB]\d/.test(kind)) return null;
  return (kind.startsWith('SA') ? receipt : disbursement).memoText + 1;
}
