import { type AgeBasis } from '@donorlens/demographics';
import { type BatchType, type EthnicityOption, type FieldMapping, type OutcomeCounts } from '@donorlens/primitives';

/**
 * accepted -> running -> completed when every row is enriched and every address has its outcome, or when the wait for
 * the geocoder timed out: then the rest is filled in later. cancelling -> cancelled from either of the first two;
 * expired after retention; failed if one of its chunks cannot be read or processed.
 */
export const BATCH_STATES = [
  'accepted',
  'running',
  'completed',
  'cancelling',
  'cancelled',
  'expired',
  'failed',
] as const;
export type BatchState = (typeof BATCH_STATES)[number];

/** Format of the items of a batch and of `result.source`; `fec`: records of an import. */
export type ItemFormat = 'csv' | 'json' | 'fec';

/**
 * Rows of a batch by the outcome of their address. In a batch with addresses they add up to the valid rows; in any
 * other batch all are 0.
 */
export interface AddressCounts {
  readonly match: number;
  readonly noMatch: number;
  readonly tie: number;
  /** Without a usable address. */
  readonly skipped: number;
  /** Not known yet. */
  readonly pending: number;
}

export const NO_ADDRESSES: AddressCounts = { match: 0, noMatch: 0, tie: 0, skipped: 0, pending: 0 };

export const rowsOf = ({ match, noMatch, tie, skipped, pending }: AddressCounts): number =>
  match + noMatch + tie + skipped + pending;

/** A batch of a client, with its progress. */
export interface Batch {
  readonly id: string;
  readonly apiKeyId: string;
  readonly idempotencyKey: string | null;
  /** File name given by the client. */
  readonly name: string | null;
  readonly type: BatchType;
  readonly itemFormat: ItemFormat;
  /** Header of a delimited file, or keys of JSON items, in order; null if they were not stored. */
  readonly columns: readonly string[] | null;
  readonly mapping: FieldMapping;
  readonly minAge: number | null;
  /** Basis of the ages in its results. */
  readonly ageBasis: AgeBasis;
  readonly ethnicityBasis: EthnicityOption;
  readonly state: BatchState;
  readonly rowsTotal: number;
  readonly chunksTotal: number;
  readonly chunksDone: number;
  readonly counts: OutcomeCounts;
  readonly addresses: AddressCounts;
  /** Data release from which all rows of the batch are enriched. */
  readonly releaseId: string;
  readonly errorCode: string | null;
  readonly createdAt: Date;
  readonly startedAt: Date | null;
  /** When its last chunk was done. */
  readonly enrichedAt: Date | null;
  /** When an address last got its outcome after its rows were enriched; null if no address had to be awaited. */
  readonly geocodedAt: Date | null;
  readonly finishedAt: Date | null;
  readonly expiresAt: Date | null;
}

/** Limits of the pipeline that an operator may set. */
export interface BatchOptions {
  /** Items per job. */
  readonly chunkRows: number;
  /** How long results stay after a batch has finished. */
  readonly ttlHours: number;
}

/** Injection token. */
export const BATCH_OPTIONS = Symbol('batch-options');
