import { type Batch } from '@donorlens/batches';
import { type GeocoderStatus } from '@donorlens/locations';
import { type JobCounts, type QueueName } from '@donorlens/queues';
import { type SourceKind } from '../requests/operator-request';
import { type ProcessRole } from '../heartbeats/process-heartbeat';

export interface QueueMinute {
  readonly ago: number;
  /** Jobs that ended. */
  readonly done: number;
  readonly failed: number;
  /** Rows or addresses that waited; null: not sampled. */
  readonly waiting: number | null;
  /** Age of the oldest that could be taken; null: there was none. */
  readonly oldestSeconds: number | null;
}

/** State of a queue in Postgres, without the queue server and the geocoder. */
export interface QueueRow {
  readonly queue: QueueName;
  /** Null: it runs. */
  readonly pausedAt: Date | null;
  /** Name of an API key, or `operator` for the command line; null: the queue is not paused. */
  readonly pausedBy: string | null;
  /** When the last pause ended: now, while the leader still has to end it. Null: it was never paused. */
  readonly resumedAt: Date | null;
  /** The leader has applied the pause to the queue server. */
  readonly isPauseApplied: boolean;
  /** Chunks, or calls to the geocoder, that may be taken now. */
  readonly waiting: number;
  /** Those of `waiting` that have a job. */
  readonly queued: number;
  /**
   * Rows of chunks that wait, also for a retry. For `geocode` 0 in QueueRow, and the pending addresses in QueueStatus.
   */
  readonly waitingRows: number;
  readonly inWork: number;
  /** Failed, and waiting for a retry. */
  readonly waitingForRetry: number;
  /** When the first of those is due; null if there is none. */
  readonly nextRetryAt: Date | null;
  /**
   * Submission time of the oldest chunk that may be taken now, or of the oldest address without an error, also in a
   * running call. Work that waits for a retry does not count.
   */
  readonly oldestWaitingAt: Date | null;
  /** Jobs done per minute, over the last 1, 15 and 60 minutes. */
  readonly last1: number;
  readonly last15: number;
  readonly last60: number;
  /** The last hour by minutes before now, 0 to 59; minutes of which nothing is known are left out. */
  readonly lastHour: readonly QueueMinute[];
  /** Jobs of the last 2 to 3 minutes. One that was put off or had nothing to do counts as neither. */
  readonly doneRecently: number;
  readonly failedRecently: number;
  readonly failedLastHour: number;
  /** Processes alive that take jobs from it. */
  readonly workers: number;
}

/** A queue as an operator sees it. */
export interface QueueStatus extends Omit<QueueRow, 'last1' | 'last15' | 'last60'> {
  /** As the queue server counts them; null: it does not answer. */
  readonly jobs: JobCounts | null;
  /** Jobs done per minute, over the last 1, 15 and 60 minutes. */
  readonly perMinute: { readonly 1: number; readonly 15: number; readonly 60: number };
  /** Jobs since the service was set up. */
  readonly ended: { readonly done: number; readonly failed: number };
  /** Stall reason as a sentence; null: the queue makes progress or is empty. */
  readonly stallReason: string | null;
}

export interface ProcessStatus {
  readonly id: string;
  readonly role: ProcessRole;
  readonly host: string;
  readonly pid: number;
  readonly version: string;
  readonly queues: readonly string[];
  readonly startedAt: Date;
  readonly seenAt: Date;
  readonly inWork: number;
  /** False: its heartbeat is missing. */
  readonly isAlive: boolean;
  /** Clock of Postgres less that of the process; null: not known yet. */
  readonly clockDifferenceSeconds: number | null;
}

/** A client's batch that has not ended, or has failed. */
export interface BatchStatus {
  readonly id: string;
  readonly type: string;
  readonly state: Batch['state'];
  /** Name of the key that sent it. */
  readonly keyName: string;
  readonly createdAt: Date;
  readonly startedAt: Date | null;
  readonly rows: number;
  readonly enrichedRows: number;
  readonly failedRows: number;
  /** Of a failed batch. */
  readonly errorCode: string | null;
  /** Rows whose address is geocoded or needs no call; null: the batch has no addresses. */
  readonly locatedRows: number | null;
  readonly rowsPerSecond: number | null;
  /** Null: not known yet. */
  readonly etaSeconds: number | null;
}

export interface BatchesStatus {
  /** Of clients. */
  readonly open: number;
  readonly rowsOpen: number;
  /** Batches of imports, and their rows. */
  readonly imports: { readonly open: number; readonly rows: number };
  /** Unfinished batches of clients and imports, by state. */
  readonly byState: { readonly accepted: number; readonly running: number; readonly cancelling: number };
  /** Batches of clients that completed in the last day. */
  readonly completed: number;
  /** Batches of clients and imports that failed, and that were cancelled, in the last day. */
  readonly failed: number;
  readonly cancelled: number;
  /** The oldest of those that are open; first those with failed rows. */
  readonly oldest: readonly BatchStatus[];
  /** Failed in the last day, newest first. */
  readonly failedLastDay: readonly BatchStatus[];
}

/** A source of data and its last and next runs. */
export interface SourceStatus {
  readonly kind: SourceKind;
  readonly label: string;
  readonly lastSuccessAt: Date | null;
  readonly lastRunAt: Date | null;
  /**
   * Summary of the last run (`done` without one), `running`, or the error; of charts, whether they are current. Null:
   * no run.
   */
  readonly lastOutcome: string | null;
  /** Since when no scheduled run has succeeded; null: the newest did, or it has no schedule. */
  readonly failingSince: Date | null;
  /** Null: only on request, or after another source. A time in the past: as soon as the leader runs it. */
  readonly nextRunAt: Date | null;
}

/** A kind of scheduled run. */
export interface RunStatus {
  readonly kind: string;
  /** Null: it has never succeeded. */
  readonly lastSuccessAt: Date | null;
  /** First failure since the last success; null: none. */
  readonly failingSince: Date | null;
}

/** State of the whole service. */
export interface OperationsStatus {
  readonly at: Date;
  readonly queues: readonly QueueStatus[];
  /** Host and port of the queue server, and the variable that names it. */
  readonly queueServer: string;
  readonly processes: readonly ProcessStatus[];
  /** Since when no heartbeat could be written, so that missing processes are not known; null: heartbeats are on time. */
  readonly lateSince: Date | null;
  /** Null: no aggregator is the leader. */
  readonly leader: { readonly holder: string; readonly epoch: string } | null;
  readonly geocoder: GeocoderStatus;
  /** Addresses in calls that were made, by outcome: match, no_match, tie, unanswered. */
  readonly outcomes: Readonly<Record<string, number>>;
  /** Rows that were enriched, by outcome. */
  readonly rowOutcomes: Readonly<Record<string, number>>;
  readonly batches: BatchesStatus;
  readonly sources: readonly SourceStatus[];
  readonly runs: readonly RunStatus[];
  /** Null: there is none yet. */
  readonly release: {
    readonly id: string;
    readonly label: string;
    readonly builtAt: Date;
    readonly activeSince: Date;
  } | null;
  /** Null: none were built yet. */
  readonly charts: { readonly versionId: string; readonly builtAt: Date; readonly isBehind: boolean } | null;
  readonly webhooks: {
    readonly pending: number;
    readonly delivered: number;
    /** Failed without a further attempt, of all that are stored. */
    readonly failed: number;
    /** The same within the last day. */
    readonly failedLastDay: number;
    /** Null: none is pending. */
    readonly oldestPendingAt: Date | null;
  };
  /** Expiry of the oldest batch that has expired and is not erased yet; null: there is none. */
  readonly oldestExpiredAt: Date | null;
  /** The data were loaded from a dump, and no key is valid until the keys are confirmed. */
  readonly isRestored: boolean;
  /** Postgres has begun a new timeline since the keys were confirmed. */
  readonly isNewTimeline: boolean;
  /** Batches whose counters do not agree with their chunks, compared once a minute: must be 0. Null: not known yet. */
  readonly violations: number | null;
}
