import { SingleBar } from 'cli-progress';
import { counted, grouped } from '@donorlens/primitives';
import { type BatchView, isFinal, lateRows } from './batch-view';

/** Shows progress: a bar on a terminal, otherwise a line every few seconds if something has changed. */
export interface Progress {
  update(done: number, total: number, line: string): void;
  /** Prints a permanent line. */
  printLine(line: string): void;
  /** Ends the display, so that the command can write other lines. */
  end(): void;
}

const EVERY_MS = 5_000;
/** Interval without any change. The line shows in a log that the command is still waiting. */
const AT_LEAST_EVERY_MS = 60_000;

interface ProgressScreen {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

/** @param stream - standard error, because standard output is for data */
export const progressOn = (stream: NodeJS.WriteStream): Progress =>
  stream.isTTY ? barOn(stream) : linesOn(stream, () => performance.now());

function barOn(stream: NodeJS.WriteStream): Progress {
  let bar: SingleBar | null = null;
  const end = (): void => {
    bar?.stop();
    bar = null;
  };
  return {
    update(done, total, line) {
      if (!bar) {
        bar = new SingleBar({
          stream,
          format: '[{bar}] {line}',
          barsize: 30,
          barCompleteChar: '#',
          barIncompleteChar: '-',
          hideCursor: true,
          clearOnComplete: true,
          gracefulExit: false, // the command handles signals itself
        });
        bar.start(total || 1, done, { line });
      }
      bar.setTotal(total || 1);
      bar.update(done, { line });
    },
    printLine(line) {
      end();
      stream.write(`${line}\n`);
    },
    end,
  };
}

export function linesOn(stream: ProgressScreen, now: () => number): Progress {
  let writtenAt = now();
  let written = '';
  return {
    update(_done, _total, line) {
      const quietMs = now() - writtenAt;
      if (quietMs < (line === written ? AT_LEAST_EVERY_MS : EVERY_MS)) return;
      [writtenAt, written] = [now(), line];
      stream.write(`${line}\n`);
    },
    printLine: (line) => void stream.write(`${line}\n`),
    end: () => undefined,
  };
}

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

/** Small rates keep a decimal: addresses with a tie are geocoded one by one, at a few rows per minute. */
const rate = (rows: number): string => (rows < 10 ? String(Number(rows.toPrecision(2))) : grouped(Math.round(rows)));

const percent = (done: number, total: number): number => (total > 0 ? Math.floor((100 * done) / total) : 100);

export const uploadLine = (sent: number, total: number): string =>
  `uploaded ${megabytes(sent)} of ${megabytes(total)} (${percent(sent, total)} %)`;

/** Processing rate and remaining time, if the service knows them. */
function rateText(batch: BatchView): string {
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
  return [enriched, hasAddresses ? lookedUp(batch) : '', rateText(batch)].filter((part) => part !== '').join(', ');
}

/** Counts addresses that are sent to the geocoder, without rows that need no geocoding. */
function lookedUp({ addresses }: BatchView): string {
  if (!addresses) return '';
  const { match, no_match: noMatch, tie, skipped, pending } = addresses;
  const done = match + noMatch + tie;
  const requested = done + pending;
  const parts = [
    requested > 0 ? `${grouped(done)} of ${grouped(requested)} geocoded` : '',
    skipped > 0 ? `${grouped(skipped)} without a usable address` : '',
  ].filter((part) => part !== '');
  return parts.length > 0 ? `addresses: ${parts.join(', ')}` : '';
}

const waitingRows = (n: number): string =>
  n === 1 ? '1 row waits for its address' : `${grouped(n)} rows wait for their address`;

/** A headline, followed by reasons and advice, one per line. */
export const withLines = (head: string, reason: string | null | undefined, ...rest: string[]): string =>
  [`${head}:`, ...(reason ? reason.split('; ') : []), ...rest].join('\n  ');

/** Why a running batch waits, for its queue or for addresses. Null if it does not wait or the reason is unknown. */
export function waitLine(batch: BatchView): string | null {
  const { id, addresses, waits_for: reason } = batch;
  if (!reason || isFinal(batch)) return null;
  const isEnriched = batch.counts.done === batch.counts.total;
  if (!addresses?.pending) return isEnriched ? null : `waiting: ${reason}`;
  const head = `${isEnriched ? 'names are done; ' : ''}${waitingRows(addresses.pending)}`;
  return withLines(head, reason, `read the results so far: bin/donorlens batch results ${id} --partial`);
}

/** Counts rows of a completed batch whose addresses are pending, and says how to get them. Null if there are none. */
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

/** Counts of rows by geocoding outcome; null if the batch has no addresses. */
export function addressText(batch: BatchView): string | null {
  const { stages, addresses, state } = batch;
  if (!stages?.geocoded || !addresses) return null;
  const named: [number, string][] = [
    [addresses.match, 'match'],
    [addresses.no_match, 'no match'],
    [addresses.tie, 'tie'],
    [addresses.skipped, 'skipped'],
    [addresses.pending, isFinal(batch) && state !== 'completed' ? 'not geocoded' : 'pending'],
  ];
  const parts = named.filter(([n]) => n > 0).map(([n, name]) => `${grouped(n)} ${name}`);
  return parts.length > 0 ? `addresses: ${parts.join(', ')}` : null;
}

/** Counts of rows by state, without zero counts. */
export function countsText({ counts }: BatchView): string {
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

/** Lines that report how a batch ended. */
export function endLines(batch: BatchView): string[] {
  const addresses = addressText(batch);
  const late = lateLine(batch);
  return [
    `batch ${batch.id} ${batch.state}, ${countsText(batch)}${addresses === null ? '' : `; ${addresses}`}`,
    ...(late === null ? [] : [late]),
  ];
}
