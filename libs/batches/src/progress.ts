import { tallied } from '@donorlens/primitives';
import { type Batch } from './batch';

/** Rows that a stage is done with. */
export interface StageProgress {
  readonly done: number;
  readonly total: number;
}

export interface BatchProgress {
  readonly enriched: StageProgress;
  /** Rows that wait for no address any more, or never had to; null in a batch that asks for none. */
  readonly geocoded: StageProgress | null;
  /** 0 to 1, over both stages. */
  readonly share: number;
  /** Of the stage that runs: rows enriched since the first chunk was taken, then rows located lately. Null where none is known. */
  readonly rowsPerSecond: number | null;
  /** Until both stages are done. Null until that can be told, as it cannot of addresses before all rows are enriched; 0 at the end. */
  readonly etaSeconds: number | null;
}

/**
 * How far a batch is, from its counters: they move only together with results and locations.
 * @param locatedPerSecond  rows whose address got its outcome lately, null where that is not known
 */
export function progressOf(batch: Batch, now: Date, locatedPerSecond: number | null): BatchProgress {
  const total = batch.rowsTotal;
  const enriched = { done: tallied(batch.tally), total };
  const geocoded = batch.type === 'contributions' ? { done: enriched.done - batch.addresses.pending, total } : null;
  const stages = geocoded ? [enriched, geocoded] : [enriched];
  return {
    enriched,
    geocoded,
    share: total === 0 ? 1 : stages.reduce((sum, { done }) => sum + done, 0) / (stages.length * total),
    ...(batch.finishedAt ? ENDED : paceOf(batch, enriched, now, locatedPerSecond)),
  };
}

type Pace = Pick<BatchProgress, 'rowsPerSecond' | 'etaSeconds'>;

const ENDED: Pace = { rowsPerSecond: null, etaSeconds: 0 };

/** Addresses take longer than names: while rows are enriched nobody knows how many will wait, and how long. */
function paceOf(batch: Batch, { done, total }: StageProgress, now: Date, locatedPerSecond: number | null): Pace {
  const { pending } = batch.addresses;
  const isLocating = done === total && pending > 0;
  const rate = isLocating ? locatedPerSecond : perSecond(done, batch.startedAt, now);
  if (rate === null) return { rowsPerSecond: null, etaSeconds: null };
  const left = isLocating ? pending : total - done;
  return {
    rowsPerSecond: rate < 10 ? Math.round(100 * rate) / 100 : Math.round(rate),
    etaSeconds: isLocating || pending === 0 ? Math.ceil(left / rate) : null,
  };
}

function perSecond(rows: number, from: Date | null, to: Date): number | null {
  if (!from || rows === 0) return null;
  return rows / Math.max(0.001, (to.getTime() - from.getTime()) / 1000);
}
