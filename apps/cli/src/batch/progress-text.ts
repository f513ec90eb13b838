import { counted, grouped } from '@donorlens/primitives';
import { type BatchView, isFinal, lateRows } from './batch-view';

/** 59 -> "59 s", 150 -> "2 min 30 s", 7300 -> "2 h 1 min". */
export function duration(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  if (whole < 60) return `${whole} s`;
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${whole % 60} s`;
  return `${Math.floor(whole / 3600)} h ${Math.floor((whole % 3600) / 60)} min`;
}

export function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}

/** Ties are located one by one: a few rows in a minute are not none. */
const rate = (rows: number): string => (rows < 10 ? String(Number(rows.toPrecision(2))) : grouped(Math.round(rows)));

const percent = (done: number, total: number): number => (total > 0 ? Math.floor((100 * done) / total) : 100);

export const uploadLine = (sent: number, total: number): string =>
  `uploaded ${megabytes(sent)} of ${megabytes(total)} (${percent(sent, total)} %)`;

/** How fast and how long still, where that is known. */
export function pace(batch: BatchView): string {
  const parts = [
    batch.rows_per_second ? `${rate(batch.rows_per_second)} rows/s` : '',
    batch.eta_seconds ? `${duration(batch.eta_seconds)} left` : '',
  ];
  return parts.filter((part) => part !== '').join(', ');
}

export function batchLine(batch: BatchView): string {
  const { done, total } = batch.counts;
  const hasAddresses = Boolean(batch.stages?.geocoded);
  const enriched = `${batch.state}: ${grouped(done)} of ${grouped(total)} rows${hasAddresses ? ' enriched' : ''} (${percent(done, total)} %)`;
  return [enriched, hasAddresses ? lookedUp(batch) : '', pace(batch)].filter((part) => part !== '').join(', ');
}

/** Of the addresses that somebody is asked about: a row that needs none is no part of it. */
function lookedUp({ addresses }: BatchView): string {
  if (!addresses) return '';
  const { match, no_match: noMatch, tie, skipped, pending } = addresses;
  const done = match + noMatch + tie;
  const asked = done + pending;
  const parts = [
    asked > 0 ? `${grouped(done)} of ${grouped(asked)} looked up` : '',
    skipped > 0 ? `${grouped(skipped)} need none` : '',
  ].filter((part) => part !== '');
  return parts.length > 0 ? `addresses: ${parts.join(', ')}` : '';
}

const waitingRows = (n: number): string =>
  n === 1 ? '1 row waits for its address' : `${grouped(n)} rows wait for their address`;

/** What is so, and below it why, until when and what can be done, each in a line of its own. */
export const withLines = (head: string, reason: string | null | undefined, ...rest: string[]): string =>
  [`${head}:`, ...(reason ? reason.split('; ') : []), ...rest].join('\n  ');

/** What holds a running batch up: its queue, or addresses of its rows; null where nothing does, and where nobody knows. */
export function waitLine(batch: BatchView): string | null {
  const { id, addresses, waits_for: reason } = batch;
  if (!reason || isFinal(batch)) return null;
  const isEnriched = batch.counts.done === batch.counts.total;
  if (!addresses?.pending) return isEnriched ? null : `waiting: ${reason}`;
  const head = `${isEnriched ? 'names are done; ' : ''}${waitingRows(addresses.pending)}`;
  return withLines(head, reason, `what there is: bin/donorlens batch results ${id} --partial`);
}

/** Rows of a completed batch that still wait, and how to get them; null where none does. */
export function lateLine(batch: BatchView): string | null {
  const late = lateRows(batch);
  if (late === 0) return null;
  return withLines(
    waitingRows(late),
    batch.waits_for,
    `wait for ${late === 1 ? 'it' : 'them'}: bin/donorlens batch status ${batch.id} --wait`,
    `then read again: bin/donorlens batch results ${batch.id}`,
  );
}

/** Rows by what became of their address, null where the batch has none. Nobody asks any more for a batch that was stopped. */
export function addressText(batch: BatchView): string | null {
  const { stages, addresses, state } = batch;
  if (!stages?.geocoded || !addresses) return null;
  const named: [number, string][] = [
    [addresses.match, 'match'],
    [addresses.no_match, 'no match'],
    [addresses.tie, 'tie'],
    [addresses.skipped, 'skipped'],
    [addresses.pending, isFinal(batch) && state !== 'completed' ? 'not looked up' : 'pending'],
  ];
  const parts = named.filter(([n]) => n > 0).map(([n, name]) => `${grouped(n)} ${name}`);
  return parts.length > 0 ? `addresses: ${parts.join(', ')}` : null;
}

/** The tally in words, empty outcomes left out. */
export function tallyText({ counts }: BatchView): string {
  const named: [number, string][] = [
    [counts.ok, 'ok'],
    [counts.partial, 'partial'],
    [counts.not_found, 'not found'],
    [counts.invalid, 'invalid'],
    [counts.failed, 'failed'],
  ];
  const parts = named.filter(([n]) => n > 0).map(([n, name]) => `${grouped(n)} ${name}`);
  return `${counted(counts.total, 'row')}: ${parts.join(', ') || 'none done'}`;
}

/** How a batch has ended. */
export function endLines(batch: BatchView): string[] {
  const addresses = addressText(batch);
  const late = lateLine(batch);
  return [
    `batch ${batch.id} ${batch.state}, ${tallyText(batch)}${addresses === null ? '' : `; ${addresses}`}`,
    ...(late === null ? [] : [late]),
  ];
}
