import { Injectable } from '@nestjs/common';
import { type ChunkStore, type ClaimedChunk, ResultStore } from '@donorlens/batches';
import { ContributionStore } from '@donorlens/campaign-finance';
import { type EnrichedChunk } from '@donorlens/enrichment';
import { LocationRepository } from '@donorlens/locations';
import { type Release } from '@donorlens/reference-data';
import { incomeOf } from './income-of';

/** Where a chunk's rows belong, and with them their addresses. */
@Injectable()
export class ChunkStorage {
  constructor(
    private readonly locations: LocationRepository,
    private readonly results: ResultStore,
    private readonly contributions: ContributionStore,
  ) {}

  /**
   * Results of a client's batch, or contributions. Which addresses are known is asked before the commit begins, all at
   * once; the commit looks again at those that were not.
   */
  async of(chunk: ClaimedChunk, enriched: EnrichedChunk, release: Release): Promise<ChunkStore> {
    const { filed } = chunk.spec;
    const known = await this.locations.outcomes(enriched.addresses.map(({ key }) => key));
    if (filed === null) return (client) => this.results.store(client, chunk, enriched, known);
    return async (client) => {
      await this.contributions.store(client, filed, chunk.releaseId, enriched, { known, incomeOf: incomeOf(release) });
    };
  }
}
