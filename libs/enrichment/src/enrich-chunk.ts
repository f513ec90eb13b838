import { DomainError, type Outcome, OUTCOMES, type Tally, emptyTally } from '@donorlens/primitives';
import { type ChunkSpec } from './chunk-spec';
import { CopyText } from './copy-text';
import { enrichContribution, type EnrichmentTables } from './enrich-contribution';
import { EnrichedItem } from './enriched-item';
import { type ItemReader, itemReader } from './item-reader';

export interface EnrichOptions {
  /** Rows that become `failed: poison` without being read. */
  readonly poison?: ReadonlySet<number>;
  /** Only the rows from <= row < to. */
  readonly from?: number;
  readonly to?: number;
}

export interface EnrichedChunk {
  /** Lines of COPY text for `result`, columns as RESULT_COLUMNS. */
  readonly copy: Buffer;
  readonly tally: Tally;
}

/** A chunk does not hold as many items as it says. */
export class ChunkMismatchError extends DomainError {
  readonly code = 'chunk_mismatch';
}

const OUTCOME_INDEX = Object.fromEntries(OUTCOMES.map((outcome, index) => [outcome, index])) as Record<Outcome, number>;
/** Everything of a line but the source: ids, codes, numbers. */
const LINE_ROOM = 512;
/** Of them, what a line usually takes. */
const LINE_TYPICAL = 128;

/**
 * Enriches the items of a chunk into lines of COPY text.
 *
 * A row that throws becomes `failed: internal`, and the others go on. A row cannot be interrupted, so its work is
 * bounded instead: names are refused beyond 200 characters and every step is linear in the row; what still hangs or
 * kills the process is found by the worker's suspect mode and comes back in `poison`.
 *
 * @param input records as the intake wrote them, inflated
 * @throws ChunkMismatchError
 */
export function enrichChunk(
  spec: ChunkSpec,
  input: Buffer,
  tables: EnrichmentTables,
  options: EnrichOptions = {},
): EnrichedChunk {
  const copy = new CopyText(input.length + spec.rows * LINE_TYPICAL + LINE_ROOM);
  const tally = emptyTally();
  const batchId = Buffer.from(`${spec.batchId}\t`);
  enrichItems(spec, input, tables, options, (row, item, reader) => {
    tally[item.outcome]++;
    writeLine(copy, batchId, row, item, input, reader);
  });
  return { copy: copy.written, tally };
}

/** One row of a preview or a test, with its source. */
export interface EnrichedRow {
  readonly row: number;
  readonly source: string;
  readonly item: EnrichedItem;
}

/** The same rows as values: for few of them. */
export function enrichRows(spec: ChunkSpec, input: Buffer, tables: EnrichmentTables): EnrichedRow[] {
  const rows: EnrichedRow[] = [];
  enrichItems(spec, input, tables, {}, (row, item, reader) => {
    rows.push({ row, source: input.toString('utf8', reader.start, reader.end), item: item.copied() });
  });
  return rows;
}

function enrichItems(
  spec: ChunkSpec,
  input: Buffer,
  tables: EnrichmentTables,
  { poison, from = spec.firstRow, to = Infinity }: EnrichOptions,
  each: (row: number, item: EnrichedItem, reader: ItemReader) => void,
): void {
  const reader = itemReader(spec, input);
  const item = new EnrichedItem();
  const end = spec.firstRow + spec.rows;
  let row = spec.firstRow;
  for (; row < to && reader.next(); row++) {
    if (row < from) continue;
    if (poison?.has(row)) item.refuse('poison', 'failed');
    else enrichItemAt(reader, spec, tables, item);
    each(row, item, reader);
  }
  if (row !== Math.min(end, to))
    throw new ChunkMismatchError('a chunk holds another number of items than it says', {
      firstRow: spec.firstRow,
      rows: spec.rows,
      found: row - spec.firstRow,
    });
}

function enrichItemAt(reader: ItemReader, spec: ChunkSpec, tables: EnrichmentTables, item: EnrichedItem): void {
  try {
    const fault = reader.read();
    if (fault === null) enrichContribution(reader.contribution, tables, spec, item);
    else item.refuse(fault);
  } catch {
    item.refuse('internal', 'failed');
  }
}

/**
 * Columns in the order of RESULT_COLUMNS.
 * @param batchId with the tab behind it
 */
function writeLine(
  copy: CopyText,
  batchId: Uint8Array,
  row: number,
  item: EnrichedItem,
  source: Buffer,
  { start, end, hasEscaped }: ItemReader,
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
  copy.null(); // address_key: comes with geocoding
  copy.endLine();
}
