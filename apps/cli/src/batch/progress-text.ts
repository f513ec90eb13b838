import { type BatchView } from './batch-view';

const grouped = (n: number): string => Math.round(n).toLocaleString('en-US');

export const plural = (n: number, one: string): string => `${grouped(n)} ${one}${n === 1 ? '' : 's'}`;

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

const percent = (done: number, total: number): number => (total > 0 ? Math.floor((100 * done) / total) : 100);

export const uploadLine = (sent: number, total: number): string =>
  `uploaded ${megabytes(sent)} of ${megabytes(total)} (${percent(sent, total)} %)`;

/** How fast and how long still, where that is known. */
export function pace(batch: BatchView): string {
  const parts = [
    batch.rows_per_second ? `${grouped(batch.rows_per_second)} rows/s` : '',
    batch.eta_seconds ? `${duration(batch.eta_seconds)} left` : '',
  ];
  return parts.filter((part) => part !== '').join(', ');
}

export function batchLine(batch: BatchView): string {
  const { done, total } = batch.counts;
  const text = `${batch.state}: ${grouped(done)} of ${grouped(total)} rows (${percent(done, total)} %)`;
  return [text, pace(batch)].filter((part) => part !== '').join(', ');
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
  return `${plural(counts.total, 'row')}: ${parts.join(', ') || 'none done'}`;
}
