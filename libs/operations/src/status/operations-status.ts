import { type GeocoderStatus } from '@donorlens/locations';
import { type JobCounts, type QueueName } from '@donorlens/queues';
import { type SourceKind } from '../requests/ops-request';
import { type ProcessRole } from './process-role';

/** A queue as an operator sees it. */
export interface QueueStatus {
  readonly queue: QueueName;
  /** Null: it runs. */
  readonly pausedAt: Date | null;
  /** Name of a key. */
  readonly pausedBy: string | null;
  /** The queue's server has been told whether it is paused: false for a moment, or for as long as nobody leads. */
  readonly isPauseTold: boolean;
  /** Chunks, or calls to the geocoder, that may be taken now. */
  readonly waiting: number;
  /** Of those that wait: they have a job. */
  readonly queued: number;
  /** Rows of chunks that wait or are parked, or addresses without an outcome. */
  readonly waitingRows: number;
  readonly inWork: number;
  /** They failed, and wait for their next try. */
  readonly parked: number;
  /** When the first of those is due; null where none is. */
  readonly parkedUntil: Date | null;
  /** As the queue's server counts them; null: it does not answer. */
  readonly jobs: JobCounts | null;
  /** When the oldest of what may be taken now, a batch's chunk or an address, was asked for; what is parked is left out. */
  readonly oldestWaitingAt: Date | null;
  /** Jobs done a minute over the last so many minutes. */
  readonly perMinute: { readonly 1: number; readonly 15: number; readonly 60: number };
  readonly failedLastHour: number;
  /** Jobs since the service was set up. */
  readonly ended: { readonly done: number; readonly failed: number };
  /** Processes alive that take jobs from it. */
  readonly workers: number;
  /** Why it does not move, in words; null: it moves, or has nothing to do. */
  readonly standstill: string | null;
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
  /** False: it has not been heard of for a while. */
  readonly isAlive: boolean;
}

/** A client's batch that has not ended. */
export interface OpenBatch {
  readonly id: string;
  readonly type: string;
  readonly state: string;
  /** Name of the key that sent it. */
  readonly keyName: string;
  readonly createdAt: Date;
  readonly startedAt: Date | null;
  readonly rows: number;
  readonly enrichedRows: number;
  /** Rows that wait for no address any more; null: it has no addresses. */
  readonly locatedRows: number | null;
  readonly rowsPerSecond: number | null;
  /** Null: not known yet. */
  readonly etaSeconds: number | null;
}

export interface BatchesStatus {
  /** Of clients. */
  readonly open: number;
  readonly rowsOpen: number;
  /** Batches that imports made of what they read, and their rows. */
  readonly imports: { readonly open: number; readonly rows: number };
  /** Both of them, by the states of those that have not ended. */
  readonly byState: { readonly accepted: number; readonly running: number; readonly cancelling: number };
  /** Ended in the last day. */
  readonly completed: number;
  readonly failed: number;
  readonly cancelled: number;
  /** The oldest of those that are open. */
  readonly oldest: readonly OpenBatch[];
}

/** A source of data, and how far the service is with it. */
export interface SourceStatus {
  readonly kind: SourceKind;
  readonly label: string;
  readonly lastSuccessAt: Date | null;
  readonly lastRunAt: Date | null;
  /** `running`, `done`, or what went wrong; null: it has never run. */
  readonly lastOutcome: string | null;
  /** Null: only by hand, or after something else. A moment that has passed: as soon as the leader gets to it. */
  readonly nextRunAt: Date | null;
}

/** A job of the schedule that has run. */
export interface RunStatus {
  readonly kind: string;
  /** Null: it has never ended well. */
  readonly lastSuccessAt: Date | null;
  /** Of the runs that have ended the newest failed. */
  readonly isFailing: boolean;
}

/** Whatever there is to know of the service as a whole. */
export interface OperationsStatus {
  readonly at: Date;
  readonly queues: readonly QueueStatus[];
  readonly processes: readonly ProcessStatus[];
  /** Null: no aggregator leads. */
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
    /** Given up, of all that are kept. */
    readonly failed: number;
    /** Given up within the last day. */
    readonly failedLately: number;
    /** Null: none is pending. */
    readonly oldestPendingAt: Date | null;
  };
  /** Batches whose counters do not agree with their chunks, compared once a minute: must be 0. Null: not known yet. */
  readonly violations: number | null;
}
