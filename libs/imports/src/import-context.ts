import { type FecOffice } from '@donorlens/primitives';
import { type Pool } from 'pg';
import { type Logger } from '@donorlens/observability';
import { type ImportLease } from './engine/import-lease';

/** What every import works with. */
export interface ImportContext {
  readonly pool: Pool;
  /** The id of the active release; null where there is none yet. */
  readonly releases: () => Promise<string | null>;
  readonly logger: Logger;
  /** Stops the import at its next step, so that it can be resumed. */
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: ImportProgress) => void;
  /** Offices whose candidates' committees are imported; by default the presidency. */
  readonly offices?: readonly FecOffice[];
  /** Rows of a chunk. */
  readonly chunkRows?: number;
  /** Of the caller that imports several things in a row; without it, an import takes one for itself. */
  readonly lease?: ImportLease;
}

export interface ImportProgress {
  readonly phase: 'reading' | 'enriching' | 'finishing';
  /** Of the unpacked text. */
  readonly bytesRead: number;
  /** Null where the file does not say how much it unpacks to. */
  readonly bytesTotal: number | null;
  readonly linesRead: number;
  readonly kept: number;
  readonly rejected: number;
  /** Rows that workers have stored. */
  readonly rowsDone: number;
  /** For some time no chunk was finished though some wait: most likely no worker runs. */
  readonly isStalled: boolean;
}

/** Often enough for a bar, rarely enough to cost nothing. */
const REPORT_INTERVAL_MS = 200;

/** Tells how far an import is: a few times a second, and at once when something else begins. */
export class ProgressReporter {
  private toldAt = -Infinity;

  constructor(
    private readonly listener: ((progress: ImportProgress) => void) | undefined,
    private current: ImportProgress,
  ) {}

  note(change: Partial<ImportProgress>): void {
    const { phase, isStalled } = this.current;
    this.current = { ...this.current, ...change };
    const isNews = this.current.phase !== phase || this.current.isStalled !== isStalled;
    const now = performance.now();
    if (!this.listener || (!isNews && now - this.toldAt < REPORT_INTERVAL_MS)) return;
    this.toldAt = now;
    this.listener(this.current);
  }
}
