import { Injectable } from '@nestjs/common';
import { type PoolClient } from 'pg';
import {
  type ChunkAddresses,
  type ChunkStore,
  type ClaimedChunk,
  type CountedRows,
  ResultStore,
} from '@donorlens/batches';
import { ContributionStore } from '@donorlens/campaign-finance';
import { type EnrichedChunk } from '@donorlens/enrichment';
import { LocationRepository } from '@donorlens/locations';
import { type Fips, type GeocodeOutcome } from '@donorlens/primitives';
import { type Release } from '@donorlens/reference-data';

/** An enriched chunk, ready to be stored. */
export interface ChunkRows extends CountedRows {
  readonly enriched: EnrichedChunk;
  /** Outcomes of addresses that are already geocoded, by address key as a latin1 string. */
  readonly knownOutcomes: ReadonlyMap<string, GeocodeOutcome>;
  readonly release: Release;
}

/** Stores a chunk's rows as results of a client's batch or as contributions of an import. */
@Injectable()
export class ChunkRowsStore implements ChunkStore<ChunkRows> {
  constructor(
    private readonly locations: LocationRepository,
    private readonly results: ResultStore,
    private readonly contributions: ContributionStore,
  ) {}

  /** Looks up all addresses before the commit. The commit looks up only those again that this query did not find. */
  async prepare(enriched: EnrichedChunk, release: Release): Promise<ChunkRows> {
    const knownOutcomes = await this.locations.outcomes(enriched.addresses.map(({ key }) => key));
    return { counts: enriched.counts, enriched, knownOutcomes, release };
  }

  async store(
    client: PoolClient,
    chunk: ClaimedChunk,
    { enriched, knownOutcomes, release }: ChunkRows,
  ): Promise<ChunkAddresses | void> {
    const { importSpec } = chunk.spec;
    if (importSpec === null) return this.results.store(client, chunk, enriched, knownOutcomes);
    await this.contributions.store(client, importSpec, chunk.releaseId, enriched, {
      known: knownOutcomes,
      incomeOf: incomeOf(release),
    });
  }
}

/** Median household income of counties, dollars a year; null if the release has no estimate. */
export const incomeOf =
  ({ counties }: Pick<Release, 'counties'>) =>
  (fips: Fips): number | null =>
    counties.find(fips)?.medianHouseholdIncome ?? null;
