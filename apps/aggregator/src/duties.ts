import { type OnApplicationBootstrap } from '@nestjs/common';
import { type Logger } from '@donorlens/observability';
import { UnusableDataSourceError } from './refreshing';
import { type Leadership, type Term } from './scheduling/leadership';

const UNUSABLE_DATA_SOURCE = 3;

/** Something that the leader does for as long as its term lasts. */
export interface Duty {
  during(term: Term): Promise<void>;
}

/** What the leader does; the others stand by. */
export class Duties implements OnApplicationBootstrap {
  constructor(
    private readonly leadership: Leadership,
    private readonly duties: readonly Duty[],
    private readonly logger: Logger,
  ) {}

  onApplicationBootstrap(): Promise<void> {
    return this.leadership.start((term) => {
      for (const duty of this.duties) duty.during(term).catch((error: unknown) => this.end(error));
    });
  }

  /** Gives the lease back first: who starts again with a better folder need not wait for it to run out. */
  private async end(error: unknown): Promise<void> {
    if (!(error instanceof UnusableDataSourceError)) throw error; // a fault of ours: the process ends and says so
    this.logger.fatal(error.message);
    await this.leadership.beforeApplicationShutdown();
    process.exit(UNUSABLE_DATA_SOURCE);
  }
}
