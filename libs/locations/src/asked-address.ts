import { type PostalAddress } from './address';

/** A distinct address of a chunk or of a request. */
export interface AskedAddress extends PostalAddress {
  /** 16 bytes. */
  readonly key: Buffer;
  /**
   * Number of its first row: of all who ask, the n-th addresses are sent before the next ones. Where several ask for one,
   * the lowest counts.
   */
  readonly order: number;
  rows: number;
  /** Of the rows, those whose outcome is ok. */
  okRows: number;
}
