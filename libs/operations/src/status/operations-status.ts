import { type GeocoderStatus } from '@donorlens/locations';
import { type JobCounts } from '@donorlens/queues';
import { type SourceKind } from '../requests/ops-request';
import { type ProcessRole } from './process-role';
import { type QueueRow } from './read-queues';

/** A queue as an operator sees it. */
export interface QueueStatus extends Omit<QueueRow, 'last1' | 'last15' | 'last60' | 'endedLately'> {
  /** As the queue's server counts them; null: it does not answer. */
  readonly jobs: JobCounts | null;
  /** Jobs done a minute over the last so many minutes. */
  readonly perMinute: { readonly 1: number; readonly 15: number; readonly 60: number };
  /** Jobs since the service was set up. */
  readonly ended: { readonly done: number; readonly failed: number };
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
  /** Since when no run of its schedule has ended well; null: the newest did, or it has no schedule. */
  readonly failingSince: Date | null;
  /** Null: only by hand, or after something else. A moment that has passed: as soon as the leader gets to it. */
  readonly nextRunAt: Date | null;
}

/** A job of the schedule that has run. */
export interface RunStatus {
  readonly kind: string;
  /** Null: it has never ended well. */
  readonly lastSuccessAt: Date | null;
  /** When the first failed of those that have ended since the last that ended well; null: none did. */
  readonly failingSince: Date | null;
}

/** Whatever there is to know of the service as a whole. */
export interface OperationsStatus {
  readonly at: Date;
  readonly queues: readonly QueueStatus[];
  /** What holds the jobs: host, port, and the variable that says so. */
  readonly queueServer: string;
  readonly processes: readonly ProcessStatus[];
  /** From when on no sign of life could be written, so that nobody can be told from the dead yet; null: all are on time. */
  readonly lateSince: Date | null;
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
