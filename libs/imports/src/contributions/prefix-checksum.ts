import { type Hash, createHash } from 'node:crypto';

/** SHA-256 of a text up to the end of its last whole line, while the text comes in pieces of any cut. */
export class PrefixChecksum {
  /** Bytes of the text so far. */
  bytes = 0;
  private readonly all: Hash = createHash('sha256');
  private prefix: Hash = this.all.copy();

  /**
   * @param piece    what comes next
   * @param lineEnd  bytes of the text up to the end of the last whole line; where it lies before the piece, the prefix stays
   */
  add(piece: Buffer, lineEnd: number): void {
    const within = Math.min(lineEnd - this.bytes, piece.length);
    if (within > 0) {
      this.all.update(piece.subarray(0, within));
      this.prefix = this.all.copy();
    }
    this.all.update(piece.subarray(Math.max(within, 0)));
    this.bytes += piece.length;
  }

  /** The text has ended, and with it its last line, also where that lacks its line end. */
  finish(): void {
    this.prefix = this.all.copy();
  }

  digest(): Buffer {
    return this.prefix.copy().digest();
  }
}
