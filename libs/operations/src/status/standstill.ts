import { type GeocoderStatus } from '@donorlens/locations';
import { type QueueName } from '@donorlens/queues';
import { type QueueStatus } from './operations-status';

/** What decides whether a queue moves. */
export interface QueueFacts extends Omit<QueueStatus, 'standstill' | 'perMinute' | 'failedLastHour'> {
  readonly queue: QueueName;
  readonly now: Date;
  /** An aggregator leads. */
  readonly isLed: boolean;
  /** Of the queue of calls; null for the other. */
  readonly geocoder: Pick<GeocoderStatus, 'activity' | 'reason'> | null;
  /** Jobs ended in the last two minutes. */
  readonly endedLately: number;
  /** What holds the jobs: `Redis`, or `the database`. */
  readonly server: string;
}

/** Why a queue does not move, in words that an operator can act on; null: it moves, or has nothing to do. */
export const standstill = (facts: QueueFacts): string | null => {
  if (facts.waiting + facts.waitingRows + facts.parked === 0) return null;
  return null;
};
