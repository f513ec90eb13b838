import { LineCutter, fieldsOf, kindOf, parseCents } from '@donorlens/tabular';
import { readItem } from './filed-item';
import {
  type FiledItem,
  type FilingCover,
  FilingError,
  type FilingHeader,
  type FilingSummary,
  type ItemPlace,
  type Reconciliation,
  type SummaryLines,
} from './filing';
import { FORM_LINES, formKind, isItemLine, readCover, readFormOnly } from './filing-cover';
import { HeaderReader } from './filing-header';
import { type FormKind, type VersionMap, lineWidth, versionMap } from './version-maps';

/** Sums of the rows of a filing. */
class RowSums {
  private readonly itemized = { rows: 0, cents: 0 };
  private readonly refunds = { rows: 0, cents: 0 };
  private memoRows = 0;
  private unreadAmounts = 0;

  constructor(readonly form: FormKind) {}

  /** @param item - null for a line that ends before its amount */
  add(item: FiledItem | null): void {
    const cents = item === null ? NaN : parseCents(item.amount);
    if (item === null || Number.isNaN(cents)) {
      this.unreadAmounts++;
      return;
    }
    if (item.memoCode === 'X') {
      this.memoRows++;
      return;
    }
    const sum = this.sumOf(item.line);
    if (sum === null) return;
    sum.rows++;
    sum.cents += cents;
  }

  reconcileWith(summary: SummaryLines): Reconciliation {
    const { itemized, refunds } = this;
    const unitemized = this.unitemized(summary);
    return {
      itemizedRows: itemized.rows,
      itemizedCents: itemized.cents,
      itemizedSummaryCents: summary.itemizedCents,
      itemizedDifferenceCents: difference(summary.itemizedCents, itemized.cents),
      unitemizedCents: unitemized,
      unitemizedShare: shareOf(unitemized, summary.itemizedCents ?? itemized.cents),
      refundRows: refunds.rows,
      refundCents: refunds.cents,
      refundSummaryCents: summary.refundsCents,
      refundDifferenceCents: difference(summary.refundsCents, refunds.cents),
      memoRows: this.memoRows,
      unreadAmounts: this.unreadAmounts,
    };
  }

  private sumOf(line: string): { rows: number; cents: number } | null {
    const { itemized, refunds } = FORM_LINES[this.form];
    if (itemized.includes(line)) return this.itemized;
    return line === refunds ? this.refunds : null;
  }

  private unitemized({ itemizedCents, unitemizedCents, individualsCents }: SummaryLines): number | null {
    if (unitemizedCents !== null) return unitemizedCents;
    return individualsCents === null ? null : individualsCents - (itemizedCents ?? this.itemized.cents);
  }
}

const difference = (stated: number | null, rows: number): number | null => (stated === null ? null : stated - rows);

const shareOf = (unitemized: number | null, itemized: number): number | null =>
  unitemized === null || unitemized < 0 || itemized < 0 || unitemized + itemized === 0
    ? null
    : unitemized / (unitemized + itemized);

interface FilingVisitor {
  /** Whether a filing of this form and filer is read; by default all are. */
  isRead?(form: FormKind, filer: string): boolean;
  /** Called once, before the first item; not called for a form that is not read. */
  cover?(cover: FilingCover, header: FilingHeader): void;
  /** Called for each receipt or refund of an individual; null if the line ends before its amount. */
  item?(item: FiledItem | null, place: ItemPlace): void;
  /** Called after each piece of the stream; the reader waits for the promise. */
  pieceRead?(): Promise<void> | void;
}

/**
 * Reads an electronic filing of any size with constant memory. Stops after a form that is not read.
 * @throws FilingError if the file is no filing, has an unknown version, or is truncated
 */
export async function readFiling(stream: AsyncIterable<Buffer>, visitor: FilingVisitor = {}): Promise<FilingSummary> {
  const reading = new FilingReading(visitor);
  for await (const piece of stream) {
    reading.push(piece);
    if (reading.isIgnored) break;
    await visitor.pieceRead?.();
  }
  return reading.finish();
}

/** All lines of a receipt, and all of a disbursement, have the same columns. */
const SCHEDULE_LINE = /^S[AB]\d/;

class FilingReading {
  private readonly cutter = new LineCutter(
    (line, maxBytes) => new FilingError('filing_layout', `longer than ${maxBytes} bytes`, line),
  );
  private readonly headerReader = new HeaderReader();
  private readonly lineCounts = new Map<string, number>();
  /** Columns of the first line of each kind. */
  private readonly widths = new Map<string, number>();
  private header: FilingHeader | null = null;
  private cover: FilingCover | null = null;
  private map: VersionMap | null = null;
  private sums = new RowSums('F3P');

  constructor(private readonly visitor: FilingVisitor) {}

  get isIgnored(): boolean {
    return this.cover !== null && this.map === null;
  }

  push(piece: Buffer): void {
    this.cutter.push(piece, this.line);
  }

  finish(): FilingSummary {
    if (!this.isIgnored) this.end();
    const { header, cover } = this;
    if (header === null) throw new FilingError('filing_header', 'does not begin as an electronic filing');
    if (cover === null) throw new FilingError('filing_cut', 'ends before its form');
    return {
      header,
      cover,
      isRead: !this.isIgnored,
      bytes: this.cutter.endsAt,
      lines: this.cutter.lines,
      lineCounts: Object.fromEntries(this.lineCounts),
      reconciliation: this.sums.reconcileWith(cover.summary),
    };
  }

  private readonly line = (line: Buffer): void => {
    if (this.isIgnored || line.length === 0) return;
    if (this.header === null) this.header = this.headerReader.read(line);
    else if (this.cover === null) this.readForm(line, this.header);
    else this.readLine(line, this.map!);
  };

  private readForm(line: Buffer, header: FilingHeader): void {
    const fields = fieldsOf(line, this.headerReader.separator);
    const kind = formKind(fields[0].toUpperCase());
    const isRead = kind !== null && this.visitor.isRead?.(kind, fields[1]) !== false;
    if (!isRead) {
      this.cover = readFormOnly(fields);
      return;
    }
    const map = versionMap(header.version);
    if (map === null) throw new FilingError('filing_version', `version ${printable(header.version)} is not known`, 1);
    this.cover = readCover(fields, map, kind, this.cutter.lines);
    this.map = map;
    this.sums = new RowSums(kind);
    this.visitor.cover?.(this.cover, header);
  }

  private readLine(line: Buffer, map: VersionMap): void {
    const { separator, nameDelimiter } = this.headerReader;
    const kind = kindOf(line, separator);
    const count = this.lineCounts.get(kind) ?? 0;
    this.lineCounts.set(kind, count + 1);
    if (count === 0) this.widths.set(kind, fieldsOf(line, separator).length);
    if (!isItemLine(kind, FORM_LINES[this.sums.form])) return;
    const item = readItem(kind, fieldsOf(line, separator), map, nameDelimiter);
    this.sums.add(item);
    this.visitor.item?.(item, { line: this.cutter.lines, endsAt: this.cutter.endsAt });
  }

  /** A last line without a line end is complete only if it has all columns of its kind. */
  private end(): void {
    const last = this.cutter.finish();
    if (last !== null) {
      const { separator } = this.headerReader;
      const width = this.widthOf(kindOf(last, separator), separator);
      if (width === null || fieldsOf(last, separator).length < width)
        throw new FilingError('filing_cut', 'its last line is cut off', this.cutter.lines);
      this.line(last);
    }
    for (const [kind, stated] of this.headerReader.statedCounts)
      if ((this.lineCounts.get(kind) ?? 0) < stated)
        throw new FilingError('filing_cut', `has ${this.lineCounts.get(kind) ?? 0} of ${stated} lines ${kind}`);
  }

  /** Number of columns: of other lines of the kind, else of its schedule, else of the version; null if unknown. */
  private widthOf(kind: string, separator: string): number | null {
    if (this.map === null) return null;
    const known = this.widths.get(kind) ?? this.widths.get(this.sameSchedule(kind) ?? '');
    return known ?? lineWidth(kind, this.map, separator);
  }

  private sameSchedule(kind: string): string | undefined {
    return SCHEDULE_LINE.test(kind) ? [...this.widths.keys()].find((other) => other.startsWith(kind.slice(0, 2))) : '';
  }
}

const printable = (version: string): string => JSON.stringify(version.slice(0, 20));
