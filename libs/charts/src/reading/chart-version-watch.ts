import { isTransientDatabaseError } from '@donorlens/database';
import { type Logger } from '@donorlens/observability';
import { type PublishedVersions } from '../charts-version';
import { type ChartRepository } from './chart.repository';

export interface WatchOptions {
  readonly pollMs?: number;
}

const NONE: PublishedVersions = { charts: null, masters: null };

/** Caches the published versions, so that callers need no query. It reads the pointers every second by default. */
export class ChartVersionWatch {
  private versions: PublishedVersions = NONE;
  private timer: NodeJS.Timeout | undefined;
  private running = Promise.resolve();
  private next: Promise<void> | undefined;
  private stopped = false;
  private lastFault = '';
  private readonly pollMs: number;

  constructor(
    private readonly reader: Pick<ChartRepository, 'current' | 'masters'>,
    private readonly logger: Logger,
    { pollMs = 1_000 }: WatchOptions = {},
  ) {
    this.pollMs = pollMs;
  }

  current(): PublishedVersions {
    return this.versions;
  }

  /** Reads the pointers at once and then every `pollMs`. Never throws: it logs an error and continues to read. */
  async start(): Promise<void> {
    await this.refreshNow();
    if (this.timer === undefined) this.schedule();
  }

  stop(): void {
    this.stopped = true;
    clearTimeout(this.timer);
  }

  /** Reads the current pointers. It waits for a running read first and reads again, as that read may be outdated. */
  refreshNow(): Promise<void> {
    return (this.next ??= this.running.then(() => {
      this.next = undefined;
      return (this.running = this.poll());
    }));
  }

  private schedule(): void {
    if (this.stopped) return;
    this.timer = setTimeout(() => void this.refreshNow().finally(() => this.schedule()), this.pollMs);
    this.timer.unref();
  }

  private async poll(): Promise<void> {
    try {
      const [charts, masters] = await Promise.all([this.reader.current(), this.reader.masters()]);
      this.versions = { charts, masters };
      this.lastFault = '';
    } catch (error) {
      const what = error instanceof Error ? error.message : String(error);
      const fault = isTransientDatabaseError(error) ? 'unavailable' : what; // the messages of an unavailable database differ
      if (fault !== this.lastFault) this.logger.error({ err: error }, `version of the charts not read: ${what}`);
      this.lastFault = fault; // logged once, not every second
    }
  }
}
