import { type DonorCounts } from '@donorlens/charts';
import { type CellKind, type CsvCell } from '@donorlens/tabular';

/** Description of a column. The about page, the OpenAPI document and docs/data-dictionary.md are generated from it. */
export interface Column {
  /** Type of the cells. In JSON, `whole`, `number` and `dollars` are numbers. */
  readonly kind: 'text' | 'whole' | 'number' | 'dollars' | 'date' | 'flag';
  readonly meaning: string;
  /** Unit or values, unless the kind implies them. */
  readonly unit?: string;
  readonly source: string;
}

/** Type of the column in Parquet files and spreadsheets. */
export const cellKind = ({ kind }: Column): CellKind => (kind === 'dollars' ? 'number' : kind);

/** Columns by name, in the order of the file. */
export type Columns = Readonly<Record<string, Column>>;

/** A column and the function that takes its cell from a row. A cell of kind `dollars` holds whole cents. */
export interface TableColumn<Row> extends Column {
  cell(row: Row): CsvCell;
}

export type TableColumns<Row> = Readonly<Record<string, TableColumn<Row>>>;

export const column = <Row>(about: Column, cell: (row: Row) => CsvCell): TableColumn<Row> => ({ ...about, cell });

export const CANDIDATE_MASTER = 'FEC candidate master (cn)';
export const COMMITTEE_MASTER = 'FEC committee master (cm)';
export const LINKAGE = 'FEC linkage (ccl)';
export const CONTRIBUTIONS = 'FEC contributions (itcont, .fec)';
export const COUNTED = 'contributions, by the counting rules';

const text = (meaning: string, source: string, unit?: string): Column => ({
  kind: 'text',
  meaning,
  source,
  ...(unit !== undefined && { unit }),
});

export const candidateText = (meaning: string, unit?: string): Column => text(meaning, CANDIDATE_MASTER, unit);
export const committeeText = (meaning: string, unit?: string): Column => text(meaning, COMMITTEE_MASTER, unit);
export const linkageText = (meaning: string, unit?: string): Column => text(meaning, LINKAGE, unit);
export const filedText = (meaning: string, unit?: string): Column => text(meaning, CONTRIBUTIONS, unit);

export const CYCLE: Column = {
  kind: 'whole',
  meaning: 'election cycle: two years, named for the even one that ends it',
  unit: 'year',
  source: 'the file, or the date of the contribution',
};
export const CAND_ID = candidateText('candidate', 'P, S or H and eight characters');
export const CMTE_ID = committeeText('committee', 'C and eight digits');

const DONORS: Column = {
  kind: 'whole',
  meaning: 'different donors',
  unit: 'people, identified by the donor key',
  source: COUNTED,
};
const CONTRIBUTION_COUNT: Column = {
  kind: 'whole',
  meaning: 'contributions of the group that add money',
  unit: 'rows; refunds are not among them',
  source: COUNTED,
};
const AMOUNT: Column = {
  kind: 'dollars',
  meaning:
    'money of the group, less refunds; what no donor gave (of organizations, without a name) is in the unknown row',
  unit: 'dollars, two decimals',
  source: COUNTED,
};

/** A ratio with `decimals` decimal places; null if `whole` is 0. */
export const ratio = (part: number, whole: number, decimals: number): number | null =>
  whole === 0 ? null : Number((part / whole).toFixed(decimals));

export const donorCount = (meaning: string): Column => ({ kind: 'whole', meaning, source: COUNTED });

/** Counts that may be missing. */
type Counts = { readonly [Name in keyof DonorCounts]: DonorCounts[Name] | null };

export const COUNT_COLUMNS: TableColumns<Counts> = {
  DONORS: column(DONORS, ({ donors }) => donors),
  CONTRIBUTIONS: column(CONTRIBUTION_COUNT, ({ contributions }) => contributions),
  AMOUNT: column(AMOUNT, ({ amountCents }) => amountCents),
};
