import { type Logger } from '@donorlens/observability';
import { ErrorLog } from '@donorlens/queues';
import { Kept } from './kept';
import { type OperationsStatus } from './operations-status';
import { type OperationsReader } from './operations.reader';
import { type Trouble } from './trouble';

export interface Look {
  /** Null: nothing could be read since this process began. */
  readonly status: OperationsStatus | null;
  /** Null: the status is of now. */
  readonly trouble: Trouble | null;
}

/** However many look, and however often. */
const KEEP_MS = 1_000;
/** A person waits for the page, a scrape gives up after 10 s, and a database that is frozen does not refuse. */
const STATUS_MS = 3_000;
/** Ten times what anybody waits for: one that took longer has itself waited. */
const MOST_KEEP_MS = 30_000;
/** To tell one that is slow from one that is away. */
const ANSWER_MS = 1_000;

/** The state of the service for all who look at it in this process, persons and programs: read once for all of them. */
export class OperationsWatch {
  private readonly status: Kept<OperationsStatus>;
  private readonly answer: Kept<void>;
  private readonly errors: ErrorLog;
  private trouble: Trouble | null = null;

  constructor(
    private readonly reader: Pick<OperationsReader, 'status' | 'ask' | 'places'>,
    logger: Logger,
  ) {
    this.status = new Kept(() => reader.status(), KEEP_MS, MOST_KEEP_MS);
    this.answer = new Kept(() => reader.ask(), KEEP_MS);
    this.errors = new ErrorLog(logger, 'operations');
  }

  /** As it is now, or as it was last. Ends within 4 s whatever the database does. */
  async look(): Promise<Look> {
    const { value, error } = await this.status.within(STATUS_MS);
    const wasAway = this.trouble?.kind === 'away';
    this.trouble = error && (await this.troubleOf(error));
    if (wasAway && !error) this.status.forget(); // it is of the first moment, in which nobody had gone on yet
    return { status: value, trouble: this.trouble };
  }

  /** What was asked for is to be seen at once. */
  forget(): void {
    this.status.forget();
  }

  private async troubleOf(error: Error): Promise<Trouble> {
    this.errors.report(error);
    const kind = (await this.answer.within(ANSWER_MS)).error ? 'away' : 'slow';
    return this.trouble?.kind === kind ? this.trouble : { kind, since: new Date(), at: this.reader.places.database };
  }
}
