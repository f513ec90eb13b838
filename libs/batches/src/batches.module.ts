import { type DynamicModule, Module } from '@nestjs/common';
import { ChunkProducer, QueuesModule } from '@donorlens/queues';
import { BATCH_OPTIONS, type BatchOptions } from './batch';
import { BatchAddresses } from './batch-address.repository';
import { BatchRepository } from './batch.repository';
import { CHUNK_HINT } from './chunk';
import { BatchIntake } from './intake/batch-intake';
import { IntakeRepository } from './intake/intake.repository';
import { Reconciler } from './reconciler';
import { ReconcilerRepository } from './reconciler.repository';
import { BatchAges } from './results/batch-ages.repository';
import { BatchSummaries } from './results/batch-summary.repository';
import { BatchResults } from './results/batch-results';
import { FirstErrors } from './results/result-page.repository';
import { ResultPages } from './results/result-page.repository';
import { SingleLookupAddresses } from './pending-address.repository';

/**
 * Batches from intake to results. Needs DatabaseModule, and CONFIG for the queue. A worker adds ChunkRepository and its
 * store.
 */
@Module({})
export class BatchesModule {
  static forRoot(options: BatchOptions): DynamicModule {
    const providers = [
      ...[BatchAddresses, BatchIntake, BatchRepository, BatchResults, BatchSummaries, Reconciler],
      ...[BatchAges, FirstErrors],
      SingleLookupAddresses,
    ];
    return {
      module: BatchesModule,
      imports: [QueuesModule],
      providers: [
        { provide: BATCH_OPTIONS, useValue: options },
        { provide: CHUNK_HINT, useExisting: ChunkProducer },
        IntakeRepository,
        ReconcilerRepository,
        ResultPages,
        ...providers,
      ],
      exports: [...providers, ReconcilerRepository],
    };
  }
}
