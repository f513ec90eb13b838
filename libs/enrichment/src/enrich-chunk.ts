import { type AddressKeys } from '@donorlens/locations';
import { ChunkItems } from './chunk-items';
import { ChunkLines } from './chunk-lines';
import { type ChunkSpec, type EnrichedLines } from './chunk';
import { type EnrichmentTables } from './enrich-contribution';
import { type EnrichedItem } from './enriched-item';
import { ImportLines } from './import-lines';

/**
 * @param input       records, inflated
 * @param addressKeys null where addresses are not asked for
 */
export const linesOf = (
  spec: ChunkSpec,
  input: Buffer,
  tables: EnrichmentTables,
  addressKeys: AddressKeys | null = null,
): EnrichedLines =>
  spec.filed
    ? new ImportLines(spec, spec.filed, input, tables, addressKeys)
    : new ChunkLines(spec, input, tables, addressKeys);

export interface EnrichOptions {
  /** Rows that become `failed: poison` without being read. */
  readonly poison?: ReadonlySet<number>;
  /** Contributions come out with their addresses, to be located; without it, with none. */
  readonly addressKeys?: AddressKeys | null;
}

/** Lines of COPY text have the columns of RESULT_COLUMNS; those of an import's chunk the ones of STAGING_COLUMNS. */
export type EnrichedChunk = Pick<EnrichedLines, 'copy' | 'tally' | 'addresses' | 'skippedRows'>;

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
  { poison = new Set(), addressKeys = null }: EnrichOptions = {},
): EnrichedChunk {
  const lines = linesOf(spec, input, tables, addressKeys);
  while (lines.next()) lines.enrich(poison.has(lines.row));
  return lines;
}

/** One row of a preview or a test, with its source. */
export interface EnrichedRow {
  readonly row: number;
  readonly source: string;
  readonly item: EnrichedItem;
}

/** The same rows as values: for few of them. */
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
