import { type Hash, createHash } from 'node:crypto';
import {
  FIELD_SEPARATOR,
  ITCONT_COLUMNS,
  ItcontScanner,
  type ItcontVisitor,
  type RejectCode,
} from '@donorlens/tabular';
import { type TextFile } from '../sources/text-file';
import { type ChunkWriter } from '../engine/chunk-writer';
import { type ImportPosition, type StoredImport } from '../engine/stored-import';
import { type ProgressReporter } from '../import-context';
import { ImportError } from '../import-error';
import { type ContributionsDetail, detailOf } from './contributions-report';

interface ReadingCounts {
  readonly source: string;
  readonly cycle: number;
  readonly linesRead: number;
  readonly kept: number;
  readonly rejected: number;
  /** Rows kept with a date in the file's cycle. */
  readonly datedInCycle: number;
}

/**
 * A file of contributions may have a few unreadable lines. A file with more than both limits is another kind of file.
 */
const MAX_REJECTED = { share: 0.1, lines: 1_000 };
/** A file also has rows of other cycles: many in the first months of a cycle, but never nearly all. */
const MIN_IN_CYCLE = { share: 0.1, rows: 100 };

/**
 * Rejects a file that is not a file of contributions of its cycle, as early as possible.
 * @param isWhole - the text has been read to its end
 * @throws ImportError `not_itcont`, `other_cycle`
 */
export function guardText(counts: ReadingCounts, isWhole: boolean): void {
  const { source, cycle, linesRead, kept, rejected, datedInCycle } = counts;
  if (isWhole && linesRead === 0) throw new ImportError('not_itcont', `${source} is empty`, { source });
  const tooMany = rejected > MAX_REJECTED.lines && rejected > MAX_REJECTED.share * linesRead;
  if (tooMany || (isWhole && rejected > linesRead / 2))
    throw new ImportError(
      'not_itcont',
      `${source} is no file of individual contributions: ${rejected} of its first ${linesRead} lines cannot be read`,
      { source, linesRead, rejected },
    );
  if (kept >= MIN_IN_CYCLE.rows && datedInCycle < MIN_IN_CYCLE.share * kept)
    throw new ImportError(
      'other_cycle',
      `${source} is not of cycle ${cycle}: only ${datedInCycle} of ${kept} rows are dated in it`,
      { source, cycle, kept, datedInCycle },
    );
}

/** SHA-256 of a text up to the end of its last complete line. The text arrives in pieces that may end within a line. */
export class PrefixChecksum {
  /** Bytes of the text so far. */
  bytes = 0;
  private readonly all: Hash = createHash('sha256');
  private prefix: Hash = this.all.copy();

  /**
   * @param piece - the next bytes of the text
   * @param lineEnd - offset of the end of the last complete line; if it is before the piece, the prefix does not change
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

  /** Call at the end of the text: its last line is complete even without a line end. */
  finish(): void {
    this.prefix = this.all.copy();
  }

  digest(): Buffer {
    return this.prefix.copy().digest();
  }
}

/** Maximum text between two checkpoints: after a crash, about this much is processed again. */
const CHECKPOINT_BYTES = 64 * 1024 ** 2;

const SEPARATOR = FIELD_SEPARATOR.charCodeAt(0);
const CELLS_BEFORE_DATE = ITCONT_COLUMNS.indexOf('TRANSACTION_DT');
const DIGITS_BEFORE_YEAR = 'MMDD'.length;

/** The text up to the last checkpoint has changed since the import was interrupted. */
export class ChangedTextError extends Error {}

interface ItcontReadingOptions {
  /** The import to start or resume. */
  readonly stored: StoredImport;
  readonly committees: ReadonlySet<string>;
  readonly writer: ChunkWriter;
  readonly progress: ProgressReporter;
  readonly signal: AbortSignal;
}

/** Reads contributions from the position of the import to the end. Needs memory for a few chunks. */
export class ItcontReading implements ItcontVisitor {
  private readonly scanner: ItcontScanner;
  private readonly checksum = new PrefixChecksum();
  private readonly before: ContributionsDetail;
  private readonly rejectedBy = new Map<string, number>();
  private readonly rowsByCycle = new Map<number, number>();
  private datedInCycle: number;
  private checkpointAt: number;

  constructor(private readonly options: ItcontReadingOptions) {
    const { stored, committees } = options;
    this.before = detailOf(stored);
    for (const [code, lines] of Object.entries(this.before.rejectedBy)) this.rejectedBy.set(code, lines);
    for (const [cycle, rows] of Object.entries(this.before.rowsByCycle)) this.rowsByCycle.set(Number(cycle), rows);
    this.datedInCycle = this.before.datedInCycle;
    this.checkpointAt = stored.bytesRead;
    const { cycle: fileCycle, bytesRead: offset, linesRead } = stored;
    this.scanner = new ItcontScanner({ fileCycle, committees, offset, linesRead }, this);
  }

  kept(bytes: Buffer, length: number, cycle: number): void {
    this.options.writer.add(bytes, 0, length - 1); // the writer ends records itself
    this.rowsByCycle.set(cycle, (this.rowsByCycle.get(cycle) ?? 0) + 1);
    const year = filedYear(bytes, 0, length);
    if (year + (year % 2) === this.options.stored.cycle) this.datedInCycle++;
  }

  rejected(line: number, code: RejectCode, text: string): void {
    this.options.writer.reject(line, code, text);
    this.rejectedBy.set(code, (this.rejectedBy.get(code) ?? 0) + 1);
  }

  /**
   * Reads to the end of the text, which shows that the file is complete, and writes a last checkpoint.
   * @throws ChangedTextError if the text has changed since the import was interrupted; ImportError; errors of a
   *   checkpoint
   */
  async readToEnd(text: TextFile): Promise<void> {
    for await (const piece of text.pieces()) {
      this.options.signal.throwIfAborted();
      const unread = this.unreadPart(piece);
      if (unread.length === 0) continue;
      this.scanner.push(unread);
      this.checksum.add(unread, this.scanner.offset);
      guardText(this.counts, false);
      this.reportProgress();
      if (this.isDue()) await this.checkpoint(this.scanner.offset);
    }
    if (this.checksum.bytes < this.options.stored.bytesRead) throw new ChangedTextError();
    this.scanner.finish();
    this.checksum.finish();
    guardText(this.counts, true);
    await this.checkpoint(this.checksum.bytes);
  }

  private unreadPart(piece: Buffer): Buffer {
    const { bytesRead, prefixSha256 } = this.options.stored;
    const known = piece.subarray(0, Math.max(0, bytesRead - this.checksum.bytes));
    if (known.length === 0) return piece;
    this.checksum.add(known, this.checksum.bytes + known.length);
    if (this.checksum.bytes === bytesRead && !(prefixSha256 && this.checksum.digest().equals(prefixSha256)))
      throw new ChangedTextError();
    return piece.subarray(known.length);
  }

  private isDue(): boolean {
    return this.options.writer.isDue || this.scanner.offset - this.checkpointAt >= CHECKPOINT_BYTES;
  }

  private async checkpoint(bytesRead: number): Promise<void> {
    await this.options.writer.checkpoint(this.position(bytesRead));
    this.checkpointAt = bytesRead;
  }

  private position(bytesRead: number): ImportPosition {
    const { counts } = this.scanner;
    const detail: ContributionsDetail = {
      committees: this.before.committees,
      releaseId: this.before.releaseId,
      otherCommittees: this.before.otherCommittees + counts.otherCommittees,
      conduitRows: this.before.conduitRows + counts.conduitRows,
      rejectedBy: Object.fromEntries(this.rejectedBy),
      rowsByCycle: Object.fromEntries(this.rowsByCycle),
      datedInCycle: this.datedInCycle,
    };
    return { bytesRead, prefixSha256: this.checksum.digest(), linesRead: counts.linesRead, detail: { ...detail } };
  }

  private get counts(): ReadingCounts {
    const { stored } = this.options;
    const { linesRead, kept, rejected } = this.scanner.counts;
    return {
      source: stored.source,
      cycle: stored.cycle,
      linesRead,
      kept: stored.kept + kept,
      rejected: stored.rejected + rejected,
      datedInCycle: this.datedInCycle,
    };
  }

  private reportProgress(): void {
    const { linesRead, kept, rejected } = this.counts;
    this.options.progress.note({ phase: 'reading', bytesRead: this.scanner.offset, linesRead, kept, rejected });
  }
}

/** Year of a record's date without validation, to detect a file of another cycle; NaN without a date. */
function filedYear(bytes: Buffer, from: number, to: number): number {
  let at = from;
  for (let left = CELLS_BEFORE_DATE; left > 0 && at < to; at++) if (bytes[at] === SEPARATOR) left--;
  let year = 0;
  for (let i = at + DIGITS_BEFORE_YEAR; i < at + DIGITS_BEFORE_YEAR + 4; i++) {
    const digit = bytes[i] - 48;
    if (!(digit >= 0 && digit <= 9)) return NaN;
    year = 10 * year + digit;
  }
  return year;
}
