/** What a chunk of an import needs to know beside its records. */
export interface ImportSpec {
  /** bigint as text */
  readonly importId: string;
  /** Cycle of the file: that of a row without a valid date. */
  readonly fileCycle: number;
  readonly kind: 'contributions' | 'filing' | 'reenrich';
  /** Of a filing: its number, or the negative stand-in where that is not known; null otherwise. */
  readonly fileNum: string | null;
  /** Synthetic addresses of a sample: they are not geocoded. */
  readonly areAddressesMadeUp?: boolean;
}
