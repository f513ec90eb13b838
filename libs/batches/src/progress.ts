import { tallied } from '@donorlens/primitives';
import { type Batch } from './batch';

export interface BatchProgress {
  readonly rowsDone: number;
  readonly rowsTotal: number;
  /** Since the first chunk was taken; null before. */
  readonly rowsPerSecond: number | null;
  /** Null until there is a rate, and 0 once the batch has ended. */
  readonly etaSeconds: number | null;
}

/** How far a batch is, from its counters alone: they move only together with results. */
export function progressOf(batch: Batch, now: Date): BatchProgress {
  const rowsDone = tallied(batch.tally);
  const until = batch.finishedAt ?? now;
  const seconds = batch.startedAt ? Math.max(0.001, (until.getTime() - batch.startedAt.getTime()) / 1000) : 0;
  const rate = seconds > 0 && rowsDone > 0 ? rowsDone / seconds : null;
  return {
    rowsDone,
    rowsTotal: batch.rowsTotal,
    rowsPerSecond: rate === null ? null : Math.round(rate),
    etaSeconds: batch.finishedAt ? 0 : rate === null ? null : Math.ceil((batch.rowsTotal - rowsDone) / rate),
  };
}
