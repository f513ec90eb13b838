import { type Pool } from 'pg';
import { BatchRepository, LocatingPace, ReconcilerRepository, progressOf } from '@donorlens/batches';
import { type Config } from '@donorlens/config';
import { type GeocoderStatus, readGeocoderStatus } from '@donorlens/locations';
import { type JobCounts, type QueueName } from '@donorlens/queues';
import { type OpenBatch, type OperationsStatus, type QueueStatus } from './operations-status';
import { type QueueRow, readQueues } from './read-queues';
import { type ServiceRow, readOutcomes, readProcesses, readService } from './read-service';
import { type ScheduleConfig, readSources } from './read-sources';
import { standstill } from './standstill';

/** What the queue's server says of a queue; null: it does not answer. */
export interface CountedQueue {
  counts(): Promise<JobCounts | null>;
}

type ReaderConfig = ScheduleConfig & Pick<Config, 'geocoder' | 'queueBackend'>;

/** Batches listed one by one. */
const MOST_BATCHES = 20;
/** Comparing counters with chunks is the longest read of all. */
const COMPARE_EVERY_MS = 10_000;

/** The state of the whole service: nine statements, none of which writes. */
export class OperationsReader {
  private readonly batches: BatchRepository;
  private readonly reconciler: ReconcilerRepository;
  private readonly pace = new LocatingPace();
  private compared: { readonly until: number; readonly violations: number } | undefined;

  constructor(
    private readonly pool: Pool,
    private readonly config: ReaderConfig,
    private readonly queues: Readonly<Record<QueueName, CountedQueue>>,
  ) {
    this.batches = new BatchRepository(pool);
    this.reconciler = new ReconcilerRepository(pool);
  }

  /** @throws what the database says where it is away */
  async status(): Promise<OperationsStatus> {
    const jobs = Promise.all([this.queues.enrich.counts(), this.queues.geocode.counts()]);
    const [service, rows, processes, geocoder, outcomes, oldest] = await Promise.all([
      readService(this.pool),
      readQueues(this.pool),
      readProcesses(this.pool),
      readGeocoderStatus(this.pool, this.config.geocoder),
      readOutcomes(this.pool),
      this.openBatches(),
    ]);
    const [enrich, geocode] = await jobs;
    return {
      at: service.now,
      queues: rows.map((row) => this.queueStatus(row, { enrich, geocode }[row.queue], service, geocoder)),
      ...{ processes, geocoder, outcomes, leader: service.leader, release: service.release, charts: service.charts },
      batches: {
        ...service.ended,
        open: service.openBatches.open,
        rowsOpen: service.openBatches.rows,
        imports: service.imports,
        oldest,
      },
      sources: await readSources(this.pool, this.config, service),
      webhooks: service.webhooks,
      violations: await this.violations(),
    };
  }

  private queueStatus(
    row: QueueRow,
    jobs: JobCounts | null,
    service: ServiceRow,
    geocoder: GeocoderStatus,
  ): QueueStatus {
    const { last1, last15, last60, endedLately, ...counted } = row;
    const isCalls = row.queue === 'geocode';
    const depth = isCalls ? { waitingRows: geocoder.waiting, oldestWaitingAt: geocoder.oldestPendingAt } : {};
    const facts = { ...counted, ...depth, jobs };
    return {
      ...facts,
      perMinute: { 1: last1, 15: last15, 60: last60 },
      standstill: standstill({
        ...facts,
        ...{ endedLately, now: service.now, isLed: service.leader !== null },
        geocoder: isCalls ? geocoder : null,
        server: this.config.queueBackend === 'redis' ? 'Redis' : 'the database',
      }),
    };
  }

  private async openBatches(): Promise<readonly OpenBatch[]> {
    const now = new Date();
    return (await this.batches.unfinished(MOST_BATCHES)).map((batch) => {
      const { id, type, state, createdAt, startedAt, keyName, rowsTotal } = batch;
      const progress = progressOf(batch, now, this.pace.of(batch, now));
      return {
        ...{ id, type, state, keyName, createdAt, startedAt, rows: rowsTotal, enrichedRows: progress.enriched.done },
        locatedRows: progress.geocoded?.done ?? null,
        rowsPerSecond: progress.rowsPerSecond,
        etaSeconds: progress.etaSeconds,
      };
    });
  }

  private async violations(): Promise<number> {
    const now = performance.now();
    if (!this.compared || now > this.compared.until)
      this.compared = { violations: await this.reconciler.violations(), until: now + COMPARE_EVERY_MS };
    return this.compared.violations;
  }
}
