import { type WorkerHost } from '@nestjs/bullmq';
import { type Type } from '@nestjs/common';
import { type Config } from '@donorlens/config';
import { ResultStore } from '@donorlens/batches';
import { CallProducer, type QueueName, QueueProducer } from '@donorlens/queues';
import { ChunkStorage } from './chunk-storage';
import { EnrichChunkProcessor } from './enrich-chunk.processor';
import { CallRun } from './geocode/call-run';
import { GeocodeCallProcessor, LINE_MS, STORE_MS } from './geocode/geocode-call.processor';
import { SettingsCheck } from './geocode/settings-check';
import { Settling } from './geocode/settling';
import { SuspectRun } from './suspect-run';

/** A processor as its consumer sees it. */
export interface Consumable extends WorkerHost {
  /** Jobs in work. */
  readonly inWork: number;
  /** Jobs in work end soon, or are given back. */
  stop(): void;
}

/** What a queue is worked off with. */
export interface Consumed {
  readonly processor: Type<Consumable>;
  /** What nobody but the processor has a use for. */
  readonly helpers: readonly Type<object>[];
  readonly producer: Type<{ held(): Promise<number | null> }>;
  /** Jobs that this process takes at a time. */
  readonly concurrency: (config: Config) => number;
  /** How long one job may take where all is well. */
  readonly longestJobMs: (config: Config) => number;
}

export const CONSUMED: { readonly [name in QueueName]: Consumed } = {
  enrich: {
    processor: EnrichChunkProcessor,
    helpers: [ChunkStorage, ResultStore, SuspectRun],
    producer: QueueProducer,
    concurrency: ({ workerConcurrency }) => workerConcurrency,
    longestJobMs: () => 0, // well under a second
  },
  geocode: {
    processor: GeocodeCallProcessor,
    helpers: [CallRun, SettingsCheck, Settling],
    producer: CallProducer,
    concurrency: ({ geocoder }) => 2 * geocoder.callsAtOnce, // as many stand in line, or have their answers stored
    longestJobMs: ({ geocoder }) => LINE_MS + geocoder.budgetMs + STORE_MS,
  },
};
