import { type FiledSpec, emptyTally } from '@donorlens/primitives';
import { type ChunkSpec } from '../chunk-spec';
import { type EnrichmentTables } from '../enrich-contribution';
import { type EnrichedLines } from '../enriched-lines';

/** Enriches import records into lines of COPY text for ContributionStore, one call for each. */
export class FiledLines implements EnrichedLines {
  readonly tally = emptyTally();

  constructor(
    private readonly spec: ChunkSpec,
    private readonly filed: FiledSpec,
    private readonly input: Buffer,
    private readonly tables: EnrichmentTables,
  ) {}

  get copy(): Buffer {
    return Buffer.alloc(0);
  }

  get row(): number {
    return this.spec.firstRow - 1;
  }

  next(): boolean {
    void this.filed;
    void this.input;
    void this.tables;
    return false;
  }

  enrich(isPoison: boolean): void {
    void isPoison;
  }
}
