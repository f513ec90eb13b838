import { tallied } from '@donorlens/primitives';
import { type Batch } from './batch';
import { isOpen } from './batch-state';

/** What came earlier says nothing about the rest: simple addresses are located by the thousand, ties one by one. */
const WINDOW_MS = 60_000;
/** In less time answers come in lumps. */
const LEAST_MS = 10_000;
/** Looks further apart add nothing. */
const APART_MS = 1_000;
/** Those looked at least lately are forgotten first. */
const MOST_BATCHES = 1_000;

interface Look {
  readonly at: number;
  readonly pending: number;
}

/**
 * How fast batches get the outcomes of their addresses, as this process sees it when it looks at them. Only while all
 * rows are enriched: before, addresses that are known already count as located the moment they come.
 */
export class LocatingPace {
  private readonly looks = new Map<string, Look[]>();

  /** Rows a second over the last minute; null where it has not been looked at for long enough, and where none came. */
  of(batch: Batch, now: Date): number | null {
    const seen = this.looks.get(batch.id) ?? [];
    this.looks.delete(batch.id);
    if (!isLocating(batch)) return null;
    const at = now.getTime();
    const recent = seen.filter((look) => at - look.at <= WINDOW_MS);
    const { pending } = batch.addresses;
    if (recent.length === 0 || at - recent[recent.length - 1].at >= APART_MS) recent.push({ at, pending });
    this.looks.set(batch.id, recent);
    if (this.looks.size > MOST_BATCHES) this.looks.delete(this.looks.keys().next().value ?? '');
    const [first] = recent;
    const located = first.pending - pending;
    return at - first.at < LEAST_MS || located <= 0 ? null : (1000 * located) / (at - first.at);
  }
}

/** Waits for nothing but addresses. */
const isLocating = ({ state, tally, rowsTotal, addresses }: Batch): boolean =>
  isOpen(state) && addresses.pending > 0 && tallied(tally) === rowsTotal;
