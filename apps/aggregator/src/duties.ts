import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { LOGGER, type Logger } from '@donorlens/observability';
import { Asked } from './asked';
import { Expiring } from './expiring';
import { Importing } from './importing';
import { Locating } from './locating';
import { Notifying } from './notifying';
import { Pausing } from './pausing';
import { Reconciling } from './reconciling';
import { Refreshing } from './refreshing';
import { Leadership, type Term } from './scheduling/leadership';

const UNUSABLE_DATA_SOURCE = 3;

/** What the leader does; the others stand by. */
@Injectable()
export class Duties implements OnApplicationBootstrap {
  constructor(
    private readonly leadership: Leadership,
    private readonly reconciling: Reconciling,
    private readonly locating: Locating,
    private readonly expiring: Expiring,
    private readonly notifying: Notifying,
    private readonly asked: Asked,
    private readonly pausing: Pausing,
    private readonly refreshing: Refreshing,
    private readonly importing: Importing,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  onApplicationBootstrap(): Promise<void> {
    return this.leadership.start((term) => this.take(term));
  }

  private take(term: Term): void {
    void this.reconciling.during(term);
    void this.locating.during(term);
    void this.expiring.during(term);
    void this.notifying.during(term);
    void this.asked.during(term);
    void this.pausing.during(term);
    this.refreshing
      .first(term)
      .then(() => Promise.all([this.refreshing.onSchedule(term), this.importing.during(term)]))
      .catch((error: unknown) => this.endUnusable(error));
  }

  /** Gives the lease back first: who starts again with a better folder need not wait for it to run out. */
  private async endUnusable(error: unknown): Promise<void> {
    this.logger.fatal(error instanceof Error ? error.message : String(error));
    await this.leadership.beforeApplicationShutdown();
    process.exit(UNUSABLE_DATA_SOURCE);
  }
}
