import { type Logger } from '@donorlens/observability';
import { ErrorLog } from '@donorlens/queues';
import { StaleCache } from '../stale-cache';
import { type OperationsStatus } from './operations-status';
import { type OperationsReader } from './operations.reader';
import { type DatabaseIssue } from './service-health';

export interface StatusReading {
  /** Null: nothing could be read since this process began. */
  readonly status: OperationsStatus | null;
  /** Null: the status is current. */
  readonly issue: DatabaseIssue | null;
}

/** Reads at most once in this time, however many callers there are. */
const CACHE_MS = 1_000;
/** A person waits for the page, a scrape gives up after 10 s, and a frozen database gives no error. */
const STATUS_MS = 3_000;
/** Ten times what a caller waits for: a read that took longer has itself waited. */
const MAX_CACHE_MS = 30_000;
/** Distinguishes a slow database from one that does not answer. */
const ANSWER_MS = 1_000;

/** The state of the service, read once for all pages, commands and metrics of this process. */
export class OperationsWatch {
  private readonly status: StaleCache<OperationsStatus>;
  private readonly answer: StaleCache<void>;
  private readonly errors: ErrorLog;
  private issue: DatabaseIssue | null = null;

  constructor(
    private readonly reader: Pick<OperationsReader, 'status' | 'ping' | 'addresses'>,
    logger: Logger,
  ) {
    this.status = new StaleCache(() => reader.status(), CACHE_MS, MAX_CACHE_MS);
    this.answer = new StaleCache(() => reader.ping(), CACHE_MS);
    this.errors = new ErrorLog(logger, 'operations');
  }

  /** The current state, or the last known one. Returns within 4 s whatever the database does. */
  async read(): Promise<StatusReading> {
    const { value, error } = await this.status.get(STATUS_MS);
    const wasAway = this.issue?.kind === 'away';
    this.issue = error && (await this.issueOf(error));
    if (wasAway && !error) this.status.invalidate(); // read at the first moment, before other processes continued
    return { status: value, issue: this.issue };
  }

  /** The next read shows the effect of a request that was just made. */
  invalidate(): void {
    this.status.invalidate();
  }

  private async issueOf(error: Error): Promise<DatabaseIssue> {
    this.errors.report(error);
    const kind = (await this.answer.get(ANSWER_MS)).error ? 'away' : 'slow';
    return this.issue?.kind === kind ? this.issue : { kind, since: new Date(), at: this.reader.addresses.database };
  }
}
