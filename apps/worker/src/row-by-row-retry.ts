import { Injectable } from '@nestjs/common';
import { type ClaimedChunk, ChunkRepository } from '@donorlens/batches';
import { type EnrichedChunk, type EnrichedLines, createEnrichedLines } from '@donorlens/enrichment';
import { AddressKeys } from '@donorlens/locations';
import { type Release } from '@donorlens/reference-data';
import { type ChunkRows } from './chunk-rows.store';

const NO_ROW = 0; // rows count from 1
const MARK_ATTEMPTS = 3; // every row has a mark, and a failed one would end the whole retry

/**
 * Enriches an isolated chunk, which crashed processes, row by row. The retry stores the number of each row in Postgres
 * before it reads the row. If the next claim finds a number, that row crashed the process. A row that crashed twice
 * becomes `failed: poison`, and the other rows are processed. This limits crashes to three per chunk and two per poison
 * row.
 */
@Injectable()
export class RowByRowRetry {
  constructor(
    private readonly chunks: ChunkRepository<ChunkRows>,
    private readonly addressKeys: AddressKeys,
  ) {}

  /** @returns null if the lease was lost or `stopping` returned true; the chunk is then processed elsewhere or later */
  async run(
    chunk: ClaimedChunk,
    release: Release,
    leaseMs: number,
    stopping: () => boolean,
  ): Promise<EnrichedChunk | null> {
    const poison = new Set(chunk.poisonRows);
    const lines = createEnrichedLines(chunk.spec, chunk.input, release, this.addressKeys);
    for (let row = chunk.firstRow; row < chunk.firstRow + chunk.rows; row++) {
      if (stopping()) return null;
      if (!poison.has(row) && !(await this.mark(chunk, row, leaseMs))) return null;
      if (lines.next()) enrichOrRefuse(lines, poison.has(row));
    }
    lines.next(); // throws if there are more rows
    return (await this.mark(chunk, NO_ROW, leaseMs)) ? lines : null;
  }

  /** A write that failed may have been stored; storing the same mark again changes nothing. */
  private async mark(chunk: ClaimedChunk, row: number, leaseMs: number): Promise<boolean> {
    for (let attempt = 1; ; attempt++)
      try {
        return await this.chunks.markCurrentRow(chunk, row, leaseMs);
      } catch (error) {
        if (attempt === MARK_ATTEMPTS) throw error;
      }
  }
}

/** A row whose enrichment throws is treated like a row that crashed the process. */
function enrichOrRefuse(lines: EnrichedLines, isPoison: boolean): void {
  try {
    lines.enrich(isPoison);
  } catch {
    lines.enrich(true);
  }
}
