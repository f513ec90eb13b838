const LF = 10;
const CR = 13;
/** Far above the longest text that a form may hold (20,000 characters). */
const MAX_LINE_BYTES = 1024 ** 2;

/** Cuts pieces of a text into lines, holding no more of it than one line. */
export class LineCutter {
  /** Bytes up to the end of the line last given. */
  endsAt = 0;
  lines = 0;
  private begun: Buffer[] = [];
  private begunBytes = 0;

  /** @param tooLong - makes the error for a line that is longer than 1 MiB */
  constructor(private readonly tooLong: (line: number, maxBytes: number) => Error) {}

  /**
   * Calls `visit` with each line that the piece ends, without its LF or CRLF; the bytes are valid only during the call.
   */
  push(piece: Buffer, visit: (line: Buffer) => void): void {
    let from = 0;
    for (let lf = piece.indexOf(LF); lf >= 0; lf = piece.indexOf(LF, from)) {
      const line = this.ended(piece.subarray(from, lf));
      this.endsAt += line.length + 1;
      this.lines++;
      from = lf + 1;
      visit(withoutCarriageReturn(line));
    }
    if (from < piece.length) this.hold(piece.subarray(from));
  }

  /** Bytes after the last LF; null if there are none. */
  finish(): Buffer | null {
    if (this.begunBytes === 0) return null;
    const line = this.ended(Buffer.alloc(0));
    this.endsAt += line.length;
    this.lines++;
    return withoutCarriageReturn(line);
  }

  private ended(end: Buffer): Buffer {
    if (this.begunBytes === 0) return end;
    const line = Buffer.concat([...this.begun, end]);
    this.begun = [];
    this.begunBytes = 0;
    return line;
  }

  private hold(piece: Buffer): void {
    this.begun.push(Buffer.from(piece));
    this.begunBytes += piece.length;
    if (this.begunBytes > MAX_LINE_BYTES) throw this.tooLong(this.lines + 1, MAX_LINE_BYTES);
  }
}

const withoutCarriageReturn = (line: Buffer): Buffer => (line.at(-1) === CR ? line.subarray(0, -1) : line);
