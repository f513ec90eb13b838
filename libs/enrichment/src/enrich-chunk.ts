import { type AddressKeys, type RequestedAddress } from '@donorlens/locations';
import { ChunkItems } from './chunk-items';
import { type ChunkSpec, type EnrichedLines } from './chunk';
import { type EnrichmentTables, type EnrichedItem } from './enrich-contribution';
import { ImportLines } from './import-lines';
import { OUTCOMES, type Outcome, emptyCounts } from '@donorlens/primitives';
import { CopyText } from '@donorlens/tabular';

/**
 * Creates the writer of the lines of a chunk of a batch or an import.
 * @param input - records, inflated
 * @param addressKeys - null if addresses are not needed
 */
export const createEnrichedLines = (
  spec: ChunkSpec,
  input: Buffer,
  tables: EnrichmentTables,
  addressKeys: AddressKeys | null = null,
): EnrichedLines =>
  spec.importSpec
    ? new ImportLines(spec, spec.importSpec, input, tables, addressKeys)
    : new ChunkLines(spec, input, tables, addressKeys);

export interface EnrichOptions {
  /** Rows that become `failed: poison` without being read. */
  readonly poison?: ReadonlySet<number>;
  /** Keys of addresses to geocode; without them, contributions have no address. */
  readonly addressKeys?: AddressKeys | null;
}

/** COPY text has the columns of RESULT_COLUMNS; for a chunk of an import, those of STAGING_COLUMNS. */
export type EnrichedChunk = Pick<EnrichedLines, 'copy' | 'counts' | 'addresses' | 'skippedRows'>;

/**
 * Enriches the items of a chunk into lines of COPY text.
 *
 * A row whose enrichment throws becomes `failed: internal`; the other rows are not affected. A row cannot be
 * interrupted, so its work is limited: names have at most 200 characters, and every step is linear in the length of the
 * row. If a row still crashes the process, the row-by-row retry of the worker finds it and passes it in `poison`.
 *
 * @param input - records as the intake wrote them, inflated
 * @throws ChunkMismatchError
 */
export function enrichChunk(
  spec: ChunkSpec,
  input: Buffer,
  tables: EnrichmentTables,
  { poison = new Set(), addressKeys = null }: EnrichOptions = {},
): EnrichedChunk {
  const lines = createEnrichedLines(spec, input, tables, addressKeys);
  while (lines.next()) lines.enrich(poison.has(lines.row));
  return lines;
}

/** One row of a preview or a test, with its source. */
export interface EnrichedRow {
  readonly row: number;
  readonly source: string;
  readonly item: EnrichedItem;
}

/** Enriches the rows of a small chunk and returns them as objects, for previews and tests. */
export function enrichRows(
  spec: ChunkSpec,
  input: Buffer,
  tables: EnrichmentTables,
  addressKeys: AddressKeys | null = null,
): EnrichedRow[] {
  const rows: EnrichedRow[] = [];
  const items = new ChunkItems(spec, input, tables, addressKeys);
  while (items.next()) {
    items.enrich();
    const { row, reader, item } = items;
    rows.push({ row, source: input.toString('utf8', reader.start, reader.end), item: item.copied() });
  }
  return rows;
}

const OUTCOME_INDEX = Object.fromEntries(OUTCOMES.map((outcome, index) => [outcome, index])) as Record<Outcome, number>;
/** Maximum bytes of a line without the source: ids, codes, numbers. */
const LINE_ROOM = 512;
/** Typical bytes of a line without the source. */
const LINE_TYPICAL = 160;

/**
 * Enriches the items of a chunk into lines of COPY text, one call per item, so that the caller can act between two
 * items. The whole chunk shares one reader and one buffer.
 */
export class ChunkLines implements EnrichedLines {
  readonly counts = emptyCounts();
  private readonly items: ChunkItems;
  private readonly lines: CopyText;
  private readonly batchId: Uint8Array;
  /** End of the last complete line. */
  private end = 0;

  /** @param input - records as the intake wrote them, inflated */
  constructor(
    spec: ChunkSpec,
    private readonly input: Buffer,
    tables: EnrichmentTables,
    addressKeys: AddressKeys | null = null,
  ) {
    this.items = new ChunkItems(spec, input, tables, addressKeys);
    this.lines = new CopyText(input.length + spec.rows * LINE_TYPICAL + LINE_ROOM);
    this.batchId = Buffer.from(`${spec.batchId}\t`);
  }

  /** Lines of COPY text written so far, with the columns of RESULT_COLUMNS. */
  get copy(): Buffer {
    return this.lines.written;
  }

  get addresses(): readonly RequestedAddress[] {
    return this.items.addresses?.requested ?? [];
  }

  get skippedRows(): number {
    return this.items.addresses?.skippedRows ?? 0;
  }

  /** Number of the current row. */
  get row(): number {
    return this.items.row;
  }

  /**
   * Moves to the next row.
   * @returns false at the end of the chunk
   * @throws ChunkMismatchError
   */
  next(): boolean {
    return this.items.next();
  }

  /**
   * Enriches the row and writes its line. May be called again for the same row after it threw.
   * @param isPoison - the row becomes `failed: poison` without being read
   */
  enrich(isPoison: boolean): void {
    const { items, lines } = this;
    if (isPoison) items.refuseAsPoison();
    else items.enrich();
    lines.cutTo(this.end);
    writeLine(lines, this.batchId, items, this.input);
    this.end = lines.length;
    this.counts[items.item.outcome]++;
    if (items.item.errorCode === null) items.addresses?.count(items.address, items.item.outcome === 'ok');
  }
}

/**
 * Columns in the order of RESULT_COLUMNS.
 * @param batchId - followed by a tab
 */
function writeLine(
  copy: CopyText,
  batchId: Uint8Array,
  { row, item, address, reader: { start, end, hasEscaped } }: ChunkItems,
  source: Buffer,
): void {
  copy.reserve(LINE_ROOM);
  copy.bytesOf(batchId);
  copy.count(row);
  copy.tab();
  copy.count(OUTCOME_INDEX[item.outcome]);
  copy.tab();
  copy.asciiOrNull(item.errorCode);
  copy.tab();
  if (hasEscaped) copy.escaped(source, start, end);
  else copy.plain(source, start, end);
  copy.tab();
  copy.countOrNull(item.ageYears);
  copy.tab();
  copy.asciiOrNull(item.gender);
  copy.tab();
  copy.asciiOrNull(item.race);
  const shares = item.pctHundredths;
  for (let i = 0; i < 6; i++) {
    copy.tab();
    if (shares) copy.count(shares[i]);
    else copy.null();
  }
  copy.tab();
  copy.asciiOrNull(item.fips);
  copy.tab();
  copy.countOrNull(item.householdIncome);
  copy.tab();
  copy.bytesOrNull(address && address.key);
  copy.tab();
  copy.countOrNull(item.nameIndex < 0 ? null : item.nameIndex);
  copy.tab();
  if (item.on === null) copy.null();
  else copy.integer(item.on);
  copy.endLine();
}
