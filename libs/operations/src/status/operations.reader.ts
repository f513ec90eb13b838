import { type Pool } from 'pg';
import { BatchRepository, GeocodingRate, type OwnedBatch, ReconcilerRepository, progressOf } from '@donorlens/batches';
import { type Config } from '@donorlens/config';
import { type GeocoderStatus, readGeocoderStatus } from '@donorlens/locations';
import { type JobCounts, type QueueName } from '@donorlens/queues';
import { type ProcessHeartbeat } from '../heartbeats/process-heartbeat';
import { StaleCache } from '../stale-cache';
import {
  type BatchStatus,
  type OperationsStatus,
  type ProcessStatus,
  type QueueRow,
  type QueueStatus,
} from './operations-status';
import { readQueues, jobsOf, outcomesOf, readTotals } from './queues.repository';
import { type ServiceRow, readProcesses, readService } from './service.repository';
import { type ScheduleConfig, readRuns, readSources } from './sources.repository';
import { type ServerAddresses, serverAddresses } from './server-address';
import { stallReason } from './stall-reason';

/** Counts of a queue's jobs; null: the queue server does not answer. */
export interface CountedQueue {
  counts(): Promise<JobCounts | null>;
}

type ReaderConfig = ScheduleConfig & Pick<Config, 'geocoder' | 'queueBackend' | 'databaseUrl' | 'redisUrl'>;

/** Batches listed one by one. */
const MAX_BATCHES = 20;
/** Comparing counters with chunks reads all chunks of running batches: it is the longest read. */
const COMPARE_EVERY_MS = 60_000;
/** The rest of the status does not wait longer for the comparison. */
const COMPARE_MS = 1_000;

/**
 * The state of the whole service, in one place for pages, commands and metrics. It runs read-only statements one after
 * the other, on one connection of the pool and one more for comparing counters, so that looking at the service puts no
 * load on it.
 */
export class OperationsReader {
  private readonly batches: BatchRepository;
  private readonly violations: StaleCache<number>;
  private readonly rate = new GeocodingRate();
  readonly addresses: ServerAddresses;

  constructor(
    private readonly pool: Pool,
    private readonly config: ReaderConfig,
    private readonly queues: Readonly<Record<QueueName, CountedQueue>>,
    /** Of this process; null for a command, which writes no heartbeat. */
    private readonly heartbeat: Pick<ProcessHeartbeat, 'lateSince'> | null = null,
  ) {
    this.addresses = serverAddresses(config);
    this.batches = new BatchRepository(pool);
    const reconciler = new ReconcilerRepository(pool);
    this.violations = new StaleCache(() => reconciler.violations(), COMPARE_EVERY_MS);
  }

  /** @throws the database's error if it does not answer */
  async ping(): Promise<void> {
    await this.pool.query('select 1');
  }

  /** @throws the database's error if it does not answer */
  async status(): Promise<OperationsStatus> {
    const jobs = Promise.all([this.queues.enrich.counts(), this.queues.geocode.counts()]);
    const compared = this.violations.get(COMPARE_MS);
    const service = await readService(this.pool);
    const rows = await readQueues(this.pool);
    const processes = await readProcesses(this.pool);
    const geocoder = await readGeocoderStatus(this.pool, this.config.geocoder);
    const totals = await readTotals(this.pool);
    const runs = await readRuns(this.pool);
    const sources = await readSources(this.pool, this.config, service, runs);
    const oldest = this.batchesOf(await this.batches.unfinished(MAX_BATCHES));
    const failedLastDay = this.batchesOf(await this.batches.failedLastDay(MAX_BATCHES));
    const lateSince = this.heartbeat ? this.heartbeat.lateSince() : lastHeartbeat(processes);
    const [enrich, geocode] = await jobs;
    const { leader, release, charts, webhooks, oldestExpiredAt, isRestored, isNewTimeline } = service;
    return {
      at: service.now,
      queues: rows.map((row) => ({
        ...this.queueStatus(
          row,
          { enrich, geocode }[row.queue],
          { ...service, areHeartbeatsLate: lateSince !== null },
          geocoder,
        ),
        ended: jobsOf(totals, row.queue),
      })),
      queueServer: this.addresses.queue,
      ...{
        processes,
        lateSince,
        geocoder,
        leader,
        release,
        charts,
        webhooks,
        sources,
        runs,
        oldestExpiredAt,
        isRestored,
        isNewTimeline,
      },
      outcomes: outcomesOf(totals, 'geocode'),
      rowOutcomes: outcomesOf(totals, 'enrich'),
      batches: { ...service.batches, oldest, failedLastDay },
      violations: (await compared).value,
    };
  }

  private queueStatus(
    row: QueueRow,
    jobs: JobCounts | null,
    service: Pick<ServiceRow, 'now' | 'leader'> & { readonly areHeartbeatsLate: boolean },
    geocoder: GeocoderStatus,
  ): Omit<QueueStatus, 'ended'> {
    const { last1, last15, last60, ...counted } = row;
    const isCalls = row.queue === 'geocode';
    const facts = { ...counted, ...(isCalls ? { waitingRows: geocoder.waiting } : {}), jobs };
    return {
      ...facts,
      perMinute: { 1: last1, 15: last15, 60: last60 },
      stallReason: stallReason({
        ...facts,
        ...{
          now: service.now,
          hasLeader: service.leader !== null,
          areHeartbeatsLate: service.areHeartbeatsLate,
        },
        geocoder: isCalls ? geocoder : null,
        server: this.config.queueBackend === 'redis' ? 'Redis' : 'The database',
        serverAt: this.addresses.queue,
      }),
    };
  }

  private batchesOf(batches: readonly OwnedBatch[]): readonly BatchStatus[] {
    const now = new Date();
    return batches.map((batch) => {
      const { id, type, state, createdAt, startedAt, keyName, rowsTotal, errorCode, counts } = batch;
      const progress = progressOf(batch, now, this.rate.rowsPerSecond(batch));
      return {
        ...{ id, type, state, keyName, createdAt, startedAt, rows: rowsTotal, enrichedRows: progress.enriched.done },
        ...{ locatedRows: progress.geocoded?.done ?? null, failedRows: counts.failed, errorCode },
        rowsPerSecond: progress.rowsPerSecond,
        etaSeconds: progress.etaSeconds,
      };
    });
  }
}

/** Time of the last heartbeat if no process is alive: while the database was away none could be written. */
function lastHeartbeat(processes: readonly ProcessStatus[]): Date | null {
  if (processes.length === 0 || processes.some(({ isAlive }) => isAlive)) return null;
  return new Date(Math.max(...processes.map(({ seenAt }) => seenAt.getTime())));
}
