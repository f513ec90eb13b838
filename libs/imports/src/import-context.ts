import { type FecOffice } from '@donorlens/primitives';
import { type Pool } from 'pg';
import { type Logger } from '@donorlens/observability';
import { type ImportLease } from './engine/import-lease';

/** Dependencies and options of all imports. */
export interface ImportContext {
  readonly pool: Pool;
  /** Id of the active data release; null if none is active. */
  readonly releases: () => Promise<string | null>;
  readonly logger: Logger;
  /** Stops the import at its next step, so that it can be resumed. */
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: ImportProgress) => void;
  /** Offices whose candidates' committees are imported; by default the presidency. */
  readonly offices?: readonly FecOffice[];
  /** Rows of a chunk. */
  readonly chunkRows?: number;
  /** Lease of a caller that runs several imports; without it, an import takes a lease of its own. */
  readonly lease?: ImportLease;
}

export interface ImportProgress {
  readonly phase: 'reading' | 'enriching' | 'finishing';
  /** Bytes of the unpacked text. */
  readonly bytesRead: number;
  /** Null if the file does not state its unpacked size. */
  readonly bytesTotal: number | null;
  readonly linesRead: number;
  readonly kept: number;
  readonly rejected: number;
  /** Rows that workers have stored. */
  readonly rowsDone: number;
  /** No chunk was finished for some time although chunks wait: probably no worker runs. */
  readonly isStalled: boolean;
}

/** Frequent enough for a progress bar, at negligible cost. */
const REPORT_INTERVAL_MS = 200;

/** Reports the progress of an import a few times a second, and at once when its phase changes. */
export class ProgressReporter {
  private reportedAt = -Infinity;

  constructor(
    private readonly listener: ((progress: ImportProgress) => void) | undefined,
    private current: ImportProgress,
  ) {}

  note(change: Partial<ImportProgress>): void {
    const { phase, isStalled } = this.current;
    this.current = { ...this.current, ...change };
    const isPhaseChange = this.current.phase !== phase || this.current.isStalled !== isStalled;
    const now = performance.now();
    if (!this.listener || (!isPhaseChange && now - this.reportedAt < REPORT_INTERVAL_MS)) return;
    this.reportedAt = now;
    this.listener(this.current);
  }
}
