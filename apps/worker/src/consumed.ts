import { type WorkerHost } from '@nestjs/bullmq';
import { type Provider, type Type } from '@nestjs/common';
import { CHUNK_STORE, ChunkRepository, ResultStore } from '@donorlens/batches';
import { type Config, ConfigError } from '@donorlens/config';
import { CallProducer, QUEUES, type QueueName, ChunkProducer } from '@donorlens/queues';
import { ChunkRowsStore } from './chunk-rows.store';
import { EnrichChunkProcessor } from './enrich-chunk.processor';
import { AddressOutcomes } from './geocode/address-outcomes';
import { CallRun } from './geocode/call-run';
import { GeocodeCallProcessor, MAX_SLOT_WAIT_MS, STORE_MS } from './geocode/geocode-call.processor';
import { SettingsCheck } from './geocode/settings-check';
import { RowByRowRetry } from './row-by-row-retry';

/** A processor as its consumer uses it. */
export interface Consumable extends WorkerHost {
  /** Number of active jobs. */
  readonly inWork: number;
  /** Makes active jobs end soon or releases their leases. */
  stop(): void;
}

/** How a queue is consumed. */
export interface Consumed {
  readonly processor: Type<Consumable>;
  /** Providers that only the processor needs. */
  readonly providers: readonly Provider[];
  readonly producer: Type<{ countRunnableJobs(): Promise<number | null> }>;
  /** Maximum number of jobs that this process runs at a time. */
  readonly concurrency: (config: Config) => number;
  /** Maximum duration of a job that runs without an error. */
  readonly longestJobMs: (config: Config) => number;
}

export const CONSUMED: { readonly [name in QueueName]: Consumed } = {
  enrich: {
    processor: EnrichChunkProcessor,
    providers: [
      ChunkRepository,
      ChunkRowsStore,
      { provide: CHUNK_STORE, useExisting: ChunkRowsStore },
      ResultStore,
      RowByRowRetry,
    ],
    producer: ChunkProducer,
    concurrency: ({ workerConcurrency }) => workerConcurrency,
    longestJobMs: () => 0, // well under a second
  },
  geocode: {
    processor: GeocodeCallProcessor,
    providers: [CallRun, SettingsCheck, AddressOutcomes],
    producer: CallProducer,
    concurrency: ({ geocoder }) => 2 * geocoder.callsAtOnce, // half of them wait for a slot or store answers
    longestJobMs: ({ geocoder }) => MAX_SLOT_WAIT_MS + geocoder.budgetMs + STORE_MS,
  },
};

/** The queues that WORKER_QUEUES names, without duplicates. @throws ConfigError if one of them has no processor */
export function queueNames(names: readonly string[]): readonly QueueName[] {
  const known = Object.values(QUEUES);
  const unknown = names.filter((name) => !known.some((queue) => queue === name));
  if (unknown.length > 0 || names.length === 0)
    throw new ConfigError([`WORKER_QUEUES may name ${known.join(', ')}; not ${unknown.join(', ') || 'nothing'}`]);
  return known.filter((queue) => names.includes(queue));
}
