import { ChunkLines } from './chunk-lines';
import { type ChunkSpec } from './chunk-spec';
import { type EnrichmentTables } from './enrich-contribution';
import { type EnrichedLines } from './enriched-lines';
import { FiledLines } from './filed/filed-lines';

/** @param input records, inflated */
export const linesOf = (spec: ChunkSpec, input: Buffer, tables: EnrichmentTables): EnrichedLines =>
  spec.filed ? new FiledLines(spec, spec.filed, input, tables) : new ChunkLines(spec, input, tables);
