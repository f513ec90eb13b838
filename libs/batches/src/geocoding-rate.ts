import { LRUCache } from 'lru-cache';
import { tallied } from '@donorlens/primitives';
import { type Batch } from './batch';
import { isOpen } from './batch-state';

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
  of(batch: Batch, now: Date): number | null {
    if (!isGeocoding(batch)) {
      this.samples.delete(batch.id);
      return null;
    }
    const seen = this.samples.get(batch.id) ?? [];
    const at = now.getTime();
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
const isGeocoding = ({ state, tally, rowsTotal, addresses }: Batch): boolean =>
  isOpen(state) && addresses.pending > 0 && tallied(tally) === rowsTotal;
