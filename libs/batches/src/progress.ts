import { countedRows } from '@donorlens/primitives';
import { type Batch } from './batch';
import { LRUCache } from 'lru-cache';
import { isOpen } from './batch-state';

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
  /** Rate of the current stage: rows enriched since the first claim, then rows geocoded recently. Null if unknown. */
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
  const enriched = { done: countedRows(batch.counts), total };
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

/** Earlier samples say nothing about the rest: simple addresses are geocoded by the thousand, ties one by one. */
const WINDOW_MS = 60_000;
/** In less time the rate is not representative, as answers arrive in calls. */
const MIN_MS = 10_000;
/** Minimum distance of two samples. */
const SAMPLE_MS = 1_000;
const MAX_BATCHES = 1_000;

interface Sample {
  readonly at: number;
  readonly pending: number;
}

/**
 * Geocoding rate of batches, from samples that are taken when the batches are read. Only after all rows are enriched:
 * before, known addresses count as geocoded at once.
 */
export class GeocodingRate {
  private readonly samples = new LRUCache<string, Sample[]>({ max: MAX_BATCHES });

  /** Rows per second over the last minute; null without enough samples, and if no row was geocoded. */
  rowsPerSecond(batch: Batch, at = performance.now()): number | null {
    if (!isGeocoding(batch)) {
      this.samples.delete(batch.id);
      return null;
    }
    const seen = this.samples.get(batch.id) ?? [];
    const recent = seen.filter((sample) => at - sample.at <= WINDOW_MS);
    const { pending } = batch.addresses;
    if (recent.length === 0 || at - recent[recent.length - 1].at >= SAMPLE_MS) recent.push({ at, pending });
    this.samples.set(batch.id, recent);
    const [first] = recent;
    const geocoded = first.pending - pending;
    return at - first.at < MIN_MS || geocoded <= 0 ? null : (1000 * geocoded) / (at - first.at);
  }
}

/** Waits for addresses only. */
const isGeocoding = ({ state, counts, rowsTotal, addresses }: Batch): boolean =>
  isOpen(state) && addresses.pending > 0 && countedRows(counts) === rowsTotal;
