import { type BatchType, type FieldMapping, type Tally } from '@donorlens/primitives';
import { type AddressTally } from './address-tally';

/**
 * accepted -> running -> completed, when every row is enriched and every address has its outcome, or when patience with
 * the geocoder has run out: then the rest is filled in later; cancelling -> cancelled from either of the first two; expired after retention;
 * failed only where the batch as a whole cannot be read.
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

/** How the items of a batch are written down, and how `result.source` gives them back; `fec`: records of an import. */
export type ItemFormat = 'csv' | 'json' | 'fec';

/** What a client sent, and how far it is. */
export interface Batch {
  readonly id: string;
  readonly apiKeyId: string;
  readonly idempotencyKey: string | null;
  /** Of the file, as its sender called it. */
  readonly name: string | null;
  readonly type: BatchType;
  readonly itemFormat: ItemFormat;
  /** Header of a delimited file, in order; null for JSON items. */
  readonly columns: readonly string[] | null;
  readonly mapping: FieldMapping;
  readonly minAge: number | null;
  readonly state: BatchState;
  readonly rowsTotal: number;
  readonly chunksTotal: number;
  readonly chunksDone: number;
  readonly tally: Tally;
  readonly addresses: AddressTally;
  /** Reference data all rows of the batch are answered from. */
  readonly releaseId: string;
  readonly errorCode: string | null;
  readonly createdAt: Date;
  readonly startedAt: Date | null;
  /** When its last chunk was done. */
  readonly enrichedAt: Date | null;
  /** When an address last got its outcome after its rows were enriched; null where none had to be waited for. */
  readonly locatedAt: Date | null;
  readonly finishedAt: Date | null;
  readonly expiresAt: Date | null;
}
