import { type Pool } from 'pg';
import { BatchRepository, LocatingPace, ReconcilerRepository, progressOf } from '@donorlens/batches';
import { type Config } from '@donorlens/config';
import { type GeocoderStatus, readGeocoderStatus } from '@donorlens/locations';
import { type JobCounts, type QueueName } from '@donorlens/queues';
import { type ProcessBeat } from '../beats/process-beat';
import { Kept } from './kept';
import { type OpenBatch, type OperationsStatus, type ProcessStatus, type QueueStatus } from './operations-status';
import { type QueueRow, readQueues } from './read-queues';
import { type ServiceRow, readProcesses, readService } from './read-service';
import { type ScheduleConfig, readRuns, readSources } from './read-sources';
import { jobsOf, outcomesOf, readTotals } from './read-totals';
import { type ServerPlaces, serverPlaces } from './server-place';
import { standstill } from './standstill';

/** What the queue's server says of a queue; null: it does not answer. */
export interface CountedQueue {
  counts(): Promise<JobCounts | null>;
}

type ReaderConfig = ScheduleConfig & Pick<Config, 'geocoder' | 'queueBackend' | 'databaseUrl' | 'redisUrl'>;

/** Batches listed one by one. */
const MOST_BATCHES = 20;
/** Comparing counters with chunks reads all chunks of batches at work: it is the longest read of all. */
const COMPARE_EVERY_MS = 60_000;
/** It is as old as it is: whoever reads the rest does not wait for it. */
const COMPARE_MS = 1_000;

/**
 * The state of the whole service, the only reading of it: pages, commands and metrics tell the same. Statements that
 * write nothing, one after the other: those who look are no load, and take one connection of the pool and one more for
 * what is compared.
 */
export class OperationsReader {
  private readonly batches: BatchRepository;
  private readonly violations: Kept<number>;
  private readonly pace = new LocatingPace();
  readonly places: ServerPlaces;

  constructor(
    private readonly pool: Pool,
    private readonly config: ReaderConfig,
    private readonly queues: Readonly<Record<QueueName, CountedQueue>>,
    /** Of this process; null: it writes no sign of life, as a command. */
    private readonly beat: Pick<ProcessBeat, 'lateSince'> | null = null,
  ) {
    this.places = serverPlaces(config);
    this.batches = new BatchRepository(pool);
    const reconciler = new ReconcilerRepository(pool);
    this.violations = new Kept(() => reconciler.violations(), COMPARE_EVERY_MS);
  }

  /** @throws what the database says where it is away */
  async ask(): Promise<void> {
    await this.pool.query('select 1');
  }

  /** @throws what the database says where it is away */
  async status(): Promise<OperationsStatus> {
    const jobs = Promise.all([this.queues.enrich.counts(), this.queues.geocode.counts()]);
    const compared = this.violations.within(COMPARE_MS);
    const service = await readService(this.pool);
    const rows = await readQueues(this.pool);
    const processes = await readProcesses(this.pool);
    const geocoder = await readGeocoderStatus(this.pool, this.config.geocoder);
    const totals = await readTotals(this.pool);
    const runs = await readRuns(this.pool);
    const sources = await readSources(this.pool, this.config, service, runs);
    const oldest = await this.openBatches();
    const lateSince = this.beat ? this.beat.lateSince() : silentSince(processes);
    const [enrich, geocode] = await jobs;
    const { leader, release, charts, webhooks } = service;
    return {
      at: service.now,
      queues: rows.map((row) => ({
        ...this.queueStatus(row, { enrich, geocode }[row.queue], { ...service, isLate: lateSince !== null }, geocoder),
        ended: jobsOf(totals, row.queue),
      })),
      queueServer: this.places.queue,
      ...{ processes, lateSince, geocoder, leader, release, charts, webhooks, sources, runs },
      outcomes: outcomesOf(totals, 'geocode'),
      rowOutcomes: outcomesOf(totals, 'enrich'),
      batches: { ...service.batches, oldest },
      violations: (await compared).value,
    };
  }

  private queueStatus(
    row: QueueRow,
    jobs: JobCounts | null,
    service: Pick<ServiceRow, 'now' | 'leader'> & { readonly isLate: boolean },
    geocoder: GeocoderStatus,
  ): Omit<QueueStatus, 'ended'> {
    const { last1, last15, last60, endedLately, ...counted } = row;
    const isCalls = row.queue === 'geocode';
    const facts = { ...counted, ...(isCalls ? { waitingRows: geocoder.waiting } : {}), jobs };
    return {
      ...facts,
      perMinute: { 1: last1, 15: last15, 60: last60 },
      standstill: standstill({
        ...facts,
        ...{ endedLately, now: service.now, isLed: service.leader !== null, isLate: service.isLate },
        geocoder: isCalls ? geocoder : null,
        server: this.config.queueBackend === 'redis' ? 'Redis' : 'The database',
        serverAt: this.places.queue,
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
}

/** When the last of all was heard of, where none is alive: where the database was away nobody could write it. */
function silentSince(processes: readonly ProcessStatus[]): Date | null {
  if (processes.length === 0 || processes.some(({ isAlive }) => isAlive)) return null;
  return new Date(Math.max(...processes.map(({ seenAt }) => seenAt.getTime())));
}
