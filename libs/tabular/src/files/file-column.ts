/** `date`: yyyy-mm-dd; `flag`: true or false. */
export type CellKind = 'text' | 'whole' | 'number' | 'flag' | 'date';

export interface FileColumn {
  readonly name: string;
  readonly kind: CellKind;
}
