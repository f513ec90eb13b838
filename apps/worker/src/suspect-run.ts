import { Injectable } from '@nestjs/common';
import { type ClaimedChunk, ChunkRepository } from '@donorlens/batches';
import { type EnrichedChunk, type EnrichedLines, linesOf } from '@donorlens/enrichment';
import { AddressKeys } from '@donorlens/locations';
import { type Release } from '@donorlens/reference-data';

const NO_ROW = 0; // rows count from 1
const TRIES = 3; // of a mark: a chunk has as many marks as rows, and one that fails would end the whole run

/**
 * Enriches a chunk that ended processes before, row by row. The row's number is in Postgres before the row is read;
 * a number still there at the next claim is the row that the process died on. Where that happens twice the row becomes
 * `failed: poison`, and the rest goes on: three crashes for a chunk and two for each such row, whatever its size.
 */
@Injectable()
export class SuspectRun {
  constructor(
    private readonly chunks: ChunkRepository,
    private readonly addressKeys: AddressKeys,
  ) {}

  /** @returns null where the lease was lost or `stopping` turned true: the chunk is somebody else's, or comes back */
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
    lines.next(); // throws where there are more
    return (await this.mark(chunk, NO_ROW, leaseMs)) ? lines : null;
  }

  /** One that is said to have failed may have been made: made again, it is the same. */
  private async mark(chunk: ClaimedChunk, row: number, leaseMs: number): Promise<boolean> {
    for (let attempt = 1; ; attempt++)
      try {
        return await this.chunks.markSuspect(chunk, row, leaseMs);
      } catch (error) {
        if (attempt === TRIES) throw error;
      }
  }
}

/** A row that even fails outside its own guard is treated like one that ended the process. */
function enrichOrRefuse(lines: EnrichedLines, isPoison: boolean): void {
  try {
    lines.enrich(isPoison);
  } catch {
    lines.enrich(true);
  }
}
