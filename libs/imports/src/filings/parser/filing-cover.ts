import { parseCents } from '@donorlens/tabular';
import { filedDay } from './filing-values';
import { type FilingCover, FilingError } from './filing';
import { type CoverColumns, type VersionMap } from './version-maps';

/** Forms that individuals' gifts to presidential committees stand in, in their three states: new, amended, terminating. */
const READ_FORM = /^(F3P|F3X)[NAT]?$/;
const COMMITTEE_ID = /^C\d{8}$/;

/** Which columns a form has: null for a form that is not read. */
export const formKind = (form: string): 'F3P' | 'F3X' | null =>
  (READ_FORM.exec(form)?.[1] as 'F3P' | 'F3X' | undefined) ?? null;

/** N new, A amendment, T termination. */
export const amendmentIndicator = (form: string): string => (/[NAT]$/.test(form) ? form.slice(-1) : 'N');

/** The form of a version that is known. @throws FilingError where it is cut or not of a committee */
export function readCover(fields: readonly string[], map: VersionMap, kind: 'F3P' | 'F3X', line: number): FilingCover {
  const columns = map.cover[kind];
  if (fields.length < columns.refunds) throw new FilingError('filing_cut', 'its form ends too early', line);
  if (!COMMITTEE_ID.test(fields[1])) throw new FilingError('filing_layout', 'its form names no committee', line);
  return { ...formOnly(fields), ...periodOf(fields, columns), summary: summaryOf(fields, columns) };
}

/** The form where its version or kind is of no concern. */
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
