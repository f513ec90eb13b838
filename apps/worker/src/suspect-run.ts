import { Injectable } from '@nestjs/common';
import { type ClaimedChunk, ChunkRepository } from '@donorlens/batches';
import { enrichChunk } from '@donorlens/enrichment';
import { type Tally, emptyTally, OUTCOMES } from '@donorlens/primitives';
import { type Release } from '@donorlens/reference-data';

const NO_ROW = 0; // rows count from 1

/** Rows of a suspect chunk as text for COPY, in their order. */
export interface SuspectResult {
  readonly copy: readonly Buffer[];
  readonly tally: Tally;
}

/**
 * Enriches a chunk that ended processes before, row by row. The row's number is in Postgres before the row is read;
 * a number still there at the next claim is the row that the process died on. It becomes `failed: poison`, and the
 * rest goes on: three crashes for a chunk and one for each such row, whatever the chunk's size.
 */
@Injectable()
export class SuspectRun {
  constructor(private readonly chunks: ChunkRepository) {}

  /** @returns null where the lease was lost or `stopping` turned true: the chunk is somebody else's, or comes back */
  async run(
    chunk: ClaimedChunk,
    release: Release,
    leaseMs: number,
    stopping: () => boolean,
  ): Promise<SuspectResult | null> {
    const poison = new Set(chunk.poisonRows);
    const copy: Buffer[] = [];
    const tally = emptyTally();
    for (let row = chunk.firstRow; row < chunk.firstRow + chunk.rows; row++) {
      if (stopping()) return null;
      if (!poison.has(row) && !(await this.chunks.markSuspect(chunk, row, leaseMs))) return null;
      const part = oneRow(chunk, release, row, poison);
      copy.push(part.copy);
      for (const outcome of OUTCOMES) tally[outcome] += part.tally[outcome];
    }
    return (await this.chunks.markSuspect(chunk, NO_ROW, leaseMs)) ? { copy, tally } : null;
  }
}

/** A row that even fails outside its own guard is treated like one that ended the process. */
function oneRow(
  chunk: ClaimedChunk,
  release: Release,
  row: number,
  poison: ReadonlySet<number>,
): ReturnType<typeof enrichChunk> {
  const only = { from: row, to: row + 1 };
  try {
    return enrichChunk(chunk.spec, chunk.input, release, { ...only, poison });
  } catch {
    return enrichChunk(chunk.spec, chunk.input, release, { ...only, poison: new Set([row]) });
  }
}
