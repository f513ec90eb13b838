import { parse } from 'csv-parse/sync';

interface Batch {
  readonly id: string;
  readonly addresses: Readonly<Record<string, number>>;
}

interface Summary {
  readonly rows: number;
  readonly filled: readonly { readonly column: string; readonly rows: number }[];
}

/** Columns that geocoding fills; they are final once no address is pending. */
const GEOCODED = ['FIPS', 'COUNTY', 'TRACT_CD', 'BLOCK_CD', 'HH_INCOME_MEDIAN', 'ADDRESS_ID'];

/**
 * Compares the summary of a batch with a count over its results.
 * @param csv - all results, with a header
 * @returns one text for each difference
 */
export function summaryFaults({ id, addresses }: Batch, summary: Summary, csv: string): string[] {
  const rows = parse<Record<string, string>>(csv, { columns: true });
  const counted = (column: string): number => rows.filter((row) => row[column] !== '').length;
  const differ = (what: string, is: number, expected: number): string[] =>
    is === expected ? [] : [`${id}: the summary has ${is} ${what}, the results have ${expected}`];
  return [
    ...differ('rows', summary.rows, rows.length),
    ...summary.filled
      .filter(({ column }) => !(addresses.pending > 0 && GEOCODED.includes(column)))
      .flatMap(({ column, rows: filled }) => differ(`values of ${column}`, filled, counted(column))),
  ];
}
