import { type DynamicModule, Module } from '@nestjs/common';
import { QueueProducer, QueuesModule } from '@donorlens/queues';
import { BATCH_OPTIONS, type BatchOptions } from './batch-options';
import { BatchAddresses } from './batch-addresses';
import { BatchRepository } from './batch.repository';
import { CHUNK_HINT } from './chunk-queue';
import { ChunkRepository } from './chunk.repository';
import { BatchIntake } from './intake/batch-intake';
import { IntakeRepository } from './intake/intake.repository';
import { Reconciler } from './reconciler';
import { ReconcilerRepository } from './reconciler.repository';
import { BatchResults } from './results/batch-results';
import { FirstErrors } from './results/first-errors';
import { ResultPages } from './results/result-pages';
import { SingleRequests } from './single-requests';

/** The life of a batch. Needs DatabaseModule, and CONFIG for the queue. */
@Module({})
export class BatchesModule {
  static with(options: BatchOptions): DynamicModule {
    const providers = [
      ...[BatchAddresses, BatchIntake, BatchRepository, ChunkRepository, BatchResults, Reconciler],
      FirstErrors,
      SingleRequests,
    ];
    return {
      module: BatchesModule,
      imports: [QueuesModule],
      providers: [
        { provide: BATCH_OPTIONS, useValue: options },
        { provide: CHUNK_HINT, useExisting: QueueProducer },
        IntakeRepository,
        ReconcilerRepository,
        ResultPages,
        ...providers,
      ],
      exports: [...providers, ReconcilerRepository],
    };
  }
}
