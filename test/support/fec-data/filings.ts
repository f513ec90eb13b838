import { FIELD_SEPARATOR } from '@donorlens/tabular';

/** Header values of a synthetic filing. */
export interface SyntheticFiling {
  readonly version?: string;
  readonly form?: string;
  readonly filer?: string;
  /** `FEC-1000001`, and the number of the amendment. */
  readonly amends?: readonly [original: string, count: number];
  readonly from?: string;
  readonly to?: string;
  /** Cells of the form by column from 1; they replace the default cells. */
  readonly cover?: Readonly<Record<number, string>>;
  readonly items?: readonly (readonly string[])[];
}

const cellsOf = (count: number, cells: Readonly<Record<number, string>>): string[] =>
  Array.from({ length: count }, (_, index) => cells[index + 1] ?? '');

/** A filing of version 8 with these items; each item has the cells of one line. */
export function filingText({
  version = '8.3',
  form = 'F3PN',
  filer = 'C00001000',
  amends,
  from = '20160301',
  to = '20160331',
  cover = {},
  items = [],
}: SyntheticFiling = {}): string {
  const period: Record<number, string> = form.startsWith('F3X')
    ? { 10: 'M4', 14: from, 15: to }
    : { 12: 'M4', 16: from, 17: to };
  return [
    ['HDR', 'FEC', version, 'TEST', '1', amends?.[0] ?? '', String(amends?.[1] ?? ''), ''],
    cellsOf(130, { 1: form, 2: filer, 3: 'PAT DOE 2016', ...period, ...cover }),
    ...items,
  ]
    .map((cells) => `${cells.join(FIELD_SEPARATOR)}\n`)
    .join('');
}

/** A receipt of version 8 by column from 1. */
export const receipt = (line: string, id: string, cells: Readonly<Record<number, string>> = {}): string[] =>
  cellsOf(45, {
    1: line,
    2: 'C00001000',
    3: id,
    6: 'IND',
    8: 'SAMPLE',
    9: 'JENNIFER',
    13: '1 ELM ST',
    15: 'SPRINGFIELD',
    16: 'IL',
    17: '627010000',
    18: 'P2016',
    20: '20160305',
    21: '50.00',
    ...cells,
  });

/** A refund of version 8 by column from 1. */
export const refund = (id: string, cells: Readonly<Record<number, string>> = {}): string[] =>
  receipt('SB28A', id, cells).slice(0, 44);
