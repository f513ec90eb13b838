import { type BeforeApplicationShutdown, Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { LOGGER, type Logger } from '@donorlens/observability';
import { type AuditEntry, OperationsReader, type OperationsStatus, OpsRequests } from '@donorlens/operations';
import { ErrorLog } from '@donorlens/queues';

/** What is known of the service, and since when nothing new can be known. */
export interface Seen {
  /** Null: the database has not answered since this process began. */
  readonly status: OperationsStatus | null;
  /** Newest first. */
  readonly entries: readonly AuditEntry[];
  /** Null: the database answers. */
  readonly awaySince: Date | null;
}

/** However many look, and however often. */
const KEEP_MS = 1_000;
/** A person waits for the page, and a database that is frozen does not refuse. */
const ANSWER_MS = 4_000;
/** So that something is known when the database goes away while nobody looks. */
const LOOK_EVERY_MS = 15_000;
const ENTRIES = 30;

/** Looks at the service for its operators, and remembers what it saw last. */
@Injectable()
export class OpsWatch implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private seen: Seen = { status: null, entries: [], awaySince: null };
  private goodUntil = 0;
  private looking: Promise<void> | undefined;
  private timer: NodeJS.Timeout | undefined;
  private readonly errors: ErrorLog;

  constructor(
    private readonly reader: OperationsReader,
    private readonly requests: OpsRequests,
    @Inject(LOGGER) logger: Logger,
  ) {
    this.errors = new ErrorLog(logger, 'operations');
  }

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => void this.look(), LOOK_EVERY_MS).unref();
  }

  async beforeApplicationShutdown(): Promise<void> {
    clearInterval(this.timer);
    await this.looking;
  }

  /** As it is now, or as it was last. Ends within 4 s whatever the database does. */
  async look(): Promise<Seen> {
    if (performance.now() < this.goodUntil) return this.seen;
    this.looking ??= this.read().finally(() => (this.looking = undefined));
    const isLate = await Promise.race([
      this.looking.then(() => false),
      new Promise<boolean>((late) => setTimeout(late, ANSWER_MS, true).unref()),
    ]);
    if (isLate) this.away(new Error(`no answer within ${ANSWER_MS} ms`));
    return this.seen;
  }

  /** What was asked for is to be seen at once. */
  forget(): void {
    this.goodUntil = 0;
  }

  private async read(): Promise<void> {
    try {
      const [status, entries] = await Promise.all([this.reader.status(), this.requests.recent(ENTRIES)]);
      this.seen = { status, entries, awaySince: null };
      this.goodUntil = performance.now() + KEEP_MS;
    } catch (error) {
      this.away(error);
    }
  }

  private away(error: unknown): void {
    this.errors.report(error);
    this.seen = { ...this.seen, awaySince: this.seen.awaySince ?? new Date() };
  }
}
