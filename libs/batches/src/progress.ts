import { tallied } from '@donorlens/primitives';
import { type Batch } from './batch';

/** Rows that a stage has finished. */
export interface StageProgress {
  readonly done: number;
  readonly total: number;
}

export interface BatchProgress {
  readonly enriched: StageProgress;
  /** Rows that do not wait for an address; null in a batch without addresses. */
  readonly geocoded: StageProgress | null;
  /** 0 to 1, over both stages. */
  readonly share: number;
  /** Of the current stage: rows enriched since the first chunk was claimed, then rows geocoded recently. Null if unknown. */
  readonly rowsPerSecond: number | null;
  /** Until both stages are done. Null while unknown, as for addresses before all rows are enriched; 0 at the end. */
  readonly etaSeconds: number | null;
}

/**
 * Progress of a batch by its counters, which change only together with results and locations.
 * @param geocodedPerSecond - rows whose address got its outcome recently, null if unknown
 */
export function progressOf(batch: Batch, now: Date, geocodedPerSecond: number | null): BatchProgress {
  const total = batch.rowsTotal;
  const enriched = { done: tallied(batch.tally), total };
  const geocoded = batch.type === 'contributions' ? { done: enriched.done - batch.addresses.pending, total } : null;
  const stages = geocoded ? [enriched, geocoded] : [enriched];
  return {
    enriched,
    geocoded,
    share: total === 0 ? 1 : stages.reduce((sum, { done }) => sum + done, 0) / (stages.length * total),
    ...(batch.finishedAt ? ENDED : rateOf(batch, enriched, now, geocodedPerSecond)),
  };
}

type Rate = Pick<BatchProgress, 'rowsPerSecond' | 'etaSeconds'>;

const ENDED: Rate = { rowsPerSecond: null, etaSeconds: 0 };

/** Addresses take longer than names: while rows are enriched it is unknown how many will wait, and how long. */
function rateOf(batch: Batch, { done, total }: StageProgress, now: Date, geocodedPerSecond: number | null): Rate {
  const { pending } = batch.addresses;
  const isGeocoding = done === total && pending > 0;
  const rate = isGeocoding ? geocodedPerSecond : perSecond(done, batch.startedAt, now);
  if (rate === null) return { rowsPerSecond: null, etaSeconds: null };
  const left = isGeocoding ? pending : total - done;
  return {
    rowsPerSecond: rate < 10 ? Math.round(100 * rate) / 100 : Math.round(rate),
    etaSeconds: isGeocoding || pending === 0 ? Math.ceil(left / rate) : null,
  };
}

function perSecond(rows: number, from: Date | null, to: Date): number | null {
  if (!from || rows === 0) return null;
  return rows / Math.max(0.001, (to.getTime() - from.getTime()) / 1000);
}
