import { Injectable } from '@nestjs/common';
import { type ClaimedChunk, ChunkRepository } from '@donorlens/batches';
import { type EnrichedChunk, type EnrichedLines, linesOf } from '@donorlens/enrichment';
import { AddressKeys } from '@donorlens/locations';
import { type Release } from '@donorlens/reference-data';
import { type ChunkRows } from './chunk-rows.store';

const NO_ROW = 0; // rows count from 1
const MARK_ATTEMPTS = 3; // a chunk has as many marks as rows, and one that fails would end the whole retry

/**
 * Enriches an isolated chunk, one that crashed processes, row by row. The row's number is in Postgres before the row is
 * read; a number still there at the next claim is the row that the process crashed on. A row to which this happens
 * twice becomes `failed: poison`, and the rest is processed: three crashes per chunk and two per poison row, whatever
 * its size.
 */
@Injectable()
export class RowByRowRetry {
  constructor(
    private readonly chunks: ChunkRepository<ChunkRows>,
    private readonly addressKeys: AddressKeys,
  ) {}

  /** @returns null if the lease was lost or `stopping` returned true: another worker processes the chunk, or it is retried */
  async run(
    chunk: ClaimedChunk,
    release: Release,
    leaseMs: number,
    stopping: () => boolean,
  ): Promise<EnrichedChunk | null> {
    const poison = new Set(chunk.poisonRows);
    const lines = linesOf(chunk.spec, chunk.input, release, this.addressKeys);
    for (let row = chunk.firstRow; row < chunk.firstRow + chunk.rows; row++) {
      if (stopping()) return null;
      if (!poison.has(row) && !(await this.mark(chunk, row, leaseMs))) return null;
      if (lines.next()) enrichOrRefuse(lines, poison.has(row));
    }
    lines.next(); // throws if there are more
    return (await this.mark(chunk, NO_ROW, leaseMs)) ? lines : null;
  }

  /** A mark that failed may have been written; writing it again changes nothing. */
  private async mark(chunk: ClaimedChunk, row: number, leaseMs: number): Promise<boolean> {
    for (let attempt = 1; ; attempt++)
      try {
        return await this.chunks.markCurrentRow(chunk, row, leaseMs);
      } catch (error) {
        if (attempt === MARK_ATTEMPTS) throw error;
      }
  }
}

/** A row that throws outside its own error handling is treated like one that crashed the process. */
function enrichOrRefuse(lines: EnrichedLines, isPoison: boolean): void {
  try {
    lines.enrich(isPoison);
  } catch {
    lines.enrich(true);
  }
}
