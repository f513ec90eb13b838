import { type RejectCode } from './reject-code';

export interface ItcontVisitor {
  /**
   * A readable row of one of the committees, as an import record of 21 cells with its LF.
   * @param bytes holds it from `from` to `to` during the call only
   * @param cycle that of its date, without a valid one the file's
   */
  kept(bytes: Buffer, from: number, to: number, cycle: number): void;
  /** @param text the line as it stands there, at most 4,096 bytes of it */
  rejected(line: number, code: RejectCode, text: string): void;
}

export interface ItcontCounts {
  linesRead: number;
  kept: number;
  otherCommittees: number;
  /** Among those of other committees: a conduit's rows for one of the committees. */
  conduitCopies: number;
  rejected: number;
}

export interface ItcontStart {
  readonly fileCycle: number;
  /** Whose rows are kept. */
  readonly committees: ReadonlySet<string>;
  /** Where to go on: whole lines before that are not pushed again. */
  readonly offset?: number;
  readonly linesRead?: number;
}

/** Reads the text of an `itcont` file in pieces of any cut, with memory for one line. */
export class ItcontScanner {
  readonly counts: ItcontCounts = { linesRead: 0, kept: 0, otherCommittees: 0, conduitCopies: 0, rejected: 0 };
  /** Bytes of the text up to the end of the last whole line. */
  offset: number;

  constructor(
    private readonly from: ItcontStart,
    private readonly visitor: ItcontVisitor,
  ) {
    this.offset = from.offset ?? 0;
    this.counts.linesRead = from.linesRead ?? 0;
  }

  push(piece: Buffer): void {
    void piece;
    void this.visitor;
    void this.from;
  }

  /** The last line may lack its line end. */
  finish(): void {}
}
