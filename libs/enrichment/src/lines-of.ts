import { type AddressKeys } from '@donorlens/locations';
import { ChunkLines } from './chunk-lines';
import { type ChunkSpec } from './chunk-spec';
import { type EnrichmentTables } from './enrich-contribution';
import { type EnrichedLines } from './enriched-lines';
import { FiledLines } from './filed/filed-lines';

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
    ? new FiledLines(spec, spec.filed, input, tables, addressKeys)
    : new ChunkLines(spec, input, tables, addressKeys);
