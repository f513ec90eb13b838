/** Between the cells of a contribution as it is stored and handed on: a byte that no readable record of the FEC holds. */
export const FIELD_SEPARATOR = '\x1c';

/** What a chunk of an import needs to know beside its records. */
export interface FiledSpec {
  /** bigint as text */
  readonly importId: string;
  /** Cycle of the file: that of a row without a valid date. */
  readonly fileCycle: number;
  readonly kind: 'contributions' | 'filing' | 'reenrich';
  /** Of a filing: its number, or the negative stand-in where that is not known; null otherwise. */
  readonly fileNum: string | null;
  /** Addresses of a sample: nobody is asked where they are. */
  readonly areAddressesMadeUp?: boolean;
}
