import { isDatabaseAway } from '@donorlens/database';
import { type Logger } from '@donorlens/observability';
import { type PublishedVersions } from '../charts-version';
import { type ChartReader } from './chart-reader';

export interface WatchOptions {
  readonly pollMs?: number;
}

const NOTHING: PublishedVersions = { charts: null, masters: null };

/** What is published, known without a query: the pointers are looked at every second. */
export class ChartVersionWatch {
  private versions: PublishedVersions = NOTHING;
  private timer: NodeJS.Timeout | undefined;
  private polling: Promise<void> | undefined;
  private stopped = false;
  private complaint = '';
  private readonly pollMs: number;

  constructor(
    private readonly reader: Pick<ChartReader, 'current' | 'masters'>,
    private readonly logger: Logger,
    { pollMs = 1_000 }: WatchOptions = {},
  ) {
    this.pollMs = pollMs;
  }

  current(): PublishedVersions {
    return this.versions;
  }

  /** Looks once and then again and again. Never throws: what is wrong is logged, and tried again. */
  async start(): Promise<void> {
    await this.refreshNow();
    if (this.timer === undefined) this.schedule();
  }

  stop(): void {
    this.stopped = true;
    clearTimeout(this.timer);
  }

  /** One look at the pointers; several at once are one. */
  refreshNow(): Promise<void> {
    return (this.polling ??= this.poll().finally(() => (this.polling = undefined)));
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
      this.complaint = '';
    } catch (error) {
      const what = error instanceof Error ? error.message : String(error);
      const complaint = isDatabaseAway(error) ? 'away' : what; // a database that is away says so in many words
      if (complaint !== this.complaint) this.logger.error({ err: error }, `version of the charts not read: ${what}`);
      this.complaint = complaint; // said once, not every second
    }
  }
}
