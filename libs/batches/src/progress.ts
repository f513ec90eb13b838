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
  /** Enriched, from the first chunk that was taken to the last; null before there is a rate. */
  readonly rowsPerSecond: number | null;
  /** Until both stages are done. Null until there is a rate, and while addresses wait in vain; 0 once the batch has ended. */
  readonly etaSeconds: number | null;
}

/** Without an outcome for that long, how fast they came before says nothing about the rest. */
const IN_VAIN_AFTER_MS = 60_000;

/** How far a batch is, from its counters alone: they move only together with results and locations. */
export function progressOf(batch: Batch, now: Date): BatchProgress {
  const total = batch.rowsTotal;
  const enriched = { done: tallied(batch.tally), total };
  const geocoded = batch.type === 'contributions' ? { done: enriched.done - batch.addresses.pending, total } : null;
  const stages = geocoded ? [enriched, geocoded] : [enriched];
  const rate = perSecond(enriched.done, batch.startedAt, batch.enrichedAt ?? batch.finishedAt ?? now);
  return {
    enriched,
    geocoded,
    share: total === 0 ? 1 : stages.reduce((sum, { done }) => sum + done, 0) / (stages.length * total),
    rowsPerSecond: rate === null ? null : Math.round(rate),
    etaSeconds: batch.finishedAt ? 0 : etaOf(batch, enriched, rate, now),
  };
}

/** The stages run side by side: the slower one counts. */
function etaOf(batch: Batch, enriched: StageProgress, rate: number | null, now: Date): number | null {
  if (rate === null) return null;
  const enrichedIn = (enriched.total - enriched.done) / rate;
  if (batch.addresses.pending === 0) return Math.ceil(enrichedIn);
  const locating = locatedPerSecond(batch, now);
  if (locating === null) return null;
  const share = batch.addresses.pending / enriched.done; // of the rows to come as many will have to wait
  return Math.ceil(Math.max(enrichedIn, (share * enriched.total) / locating));
}

/** Rows whose address got its outcome, in the time since the batch began. Null where none has got one lately. */
function locatedPerSecond({ addresses, startedAt, locatedAt }: Batch, now: Date): number | null {
  if (!locatedAt || now.getTime() - locatedAt.getTime() > IN_VAIN_AFTER_MS) return null;
  return perSecond(addresses.match + addresses.noMatch + addresses.tie, startedAt, now);
}

function perSecond(rows: number, from: Date | null, to: Date): number | null {
  if (!from || rows === 0) return null;
  return rows / Math.max(0.001, (to.getTime() - from.getTime()) / 1000);
}
