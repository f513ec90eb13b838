import { parseCents } from '@donorlens/tabular';
import { filedDay } from './filing-values';
import { type FilingCover, FilingError } from './filing';
import { type CoverColumns, type FormKind, type VersionMap } from './version-maps';

/** Forms with gifts of individuals; the suffix is N for new, A for amended, T for terminating. */
const READ_FORM = /^(F3P|F3X|F3)[NAT]?$/;
const COMMITTEE_ID = /^C\d{8}$/;

/** The kind of a form, which selects its columns; null for a form that is not read. */
export const formKind = (form: string): FormKind | null => (READ_FORM.exec(form)?.[1] as FormKind | undefined) ?? null;

/** Lines with gifts of individuals and refunds to them. */
export interface FormLines {
  /** Up to version 3, SA11AI was called SA11A1. */
  readonly itemized: readonly string[];
  /** Transfers of joint fundraisers, followed by their donors as memo items; null if the form has no such line. */
  readonly transfers: string | null;
  readonly refunds: string;
}

export const FORM_LINES: Readonly<Record<FormKind, FormLines>> = {
  F3: { itemized: ['SA11AI', 'SA11A1'], transfers: 'SA12', refunds: 'SB20A' },
  F3P: { itemized: ['SA17A'], transfers: 'SA18', refunds: 'SB28A' },
  F3X: { itemized: ['SA11AI', 'SA11A1'], transfers: null, refunds: 'SB28A' },
};

export const isItemLine = (line: string, { itemized, transfers, refunds }: FormLines): boolean =>
  itemized.includes(line) || line === transfers || line === refunds;

/** N: new, A: amendment, T: termination. */
export const amendmentIndicator = (form: string): string => (/[NAT]$/.test(form) ? form.slice(-1) : 'N');

/** Reads the form of a known version. @throws FilingError if it is truncated or names no committee */
export function readCover(fields: readonly string[], map: VersionMap, kind: FormKind, line: number): FilingCover {
  const columns = map.cover[kind];
  if (fields.length < columns.refunds) throw new FilingError('filing_cut', 'its form ends too early', line);
  if (!COMMITTEE_ID.test(fields[1])) throw new FilingError('filing_layout', 'its form names no committee', line);
  return { ...formOnly(fields), ...periodOf(fields, columns), summary: summaryOf(fields, columns) };
}

/** Reads the first columns of a form that is not imported, in any version. */
export const readFormOnly = (fields: readonly string[]): FilingCover => ({
  ...formOnly(fields),
  reportCode: '',
  coverageFrom: NaN,
  coverageTo: NaN,
  summary: { itemizedCents: null, unitemizedCents: null, individualsCents: null, refundsCents: null },
});

const formOnly = (fields: readonly string[]): Pick<FilingCover, 'form' | 'filer' | 'filerName'> => ({
  form: fields[0].toUpperCase(),
  filer: fields[1] ?? '',
  filerName: fields[2] ?? '',
});

const periodOf = (fields: readonly string[], columns: CoverColumns) => ({
  reportCode: fields[columns.reportCode - 1],
  coverageFrom: filedDay(fields[columns.coverageFrom - 1]),
  coverageTo: filedDay(fields[columns.coverageTo - 1]),
});

function summaryOf(fields: readonly string[], columns: CoverColumns): FilingCover['summary'] {
  const cents = (column: number): number | null => {
    const amount = column === 0 ? NaN : parseCents(fields[column - 1]);
    return Number.isNaN(amount) ? null : amount;
  };
  return {
    itemizedCents: cents(columns.itemized),
    unitemizedCents: cents(columns.unitemized),
    individualsCents: cents(columns.individuals),
    refundsCents: cents(columns.refunds),
  };
}
