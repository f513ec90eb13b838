import { type BeforeApplicationShutdown, Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { CONFIG, type Config } from '@donorlens/config';
import { CallRepository, GEOCODER, type Geocoder } from '@donorlens/geocoding';
import { LOGGER, type Logger } from '@donorlens/observability';
import { ErrorLog } from '@donorlens/queues';

const AGAIN_MS = 60_000;

/**
 * Asks the geocoder whether it knows the benchmark and vintage it is to be asked for, at start and then for as long as
 * it does not. Meanwhile calls wait and the status says why; everything else goes on.
 */
@Injectable()
export class SettingsCheck implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly stopping = new AbortController();
  private readonly errors: ErrorLog;
  private timer: NodeJS.Timeout | undefined;
  private told: string | null = null;

  constructor(
    @Inject(GEOCODER) private readonly geocoder: Geocoder,
    private readonly calls: CallRepository,
    @Inject(CONFIG) private readonly config: Config,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.errors = new ErrorLog(logger, 'geocoder settings');
  }

  onApplicationBootstrap(): void {
    void this.check();
  }

  beforeApplicationShutdown(): void {
    this.stopping.abort();
    clearTimeout(this.timer);
  }

  /** Never throws; a reason that could not be stored is found again. */
  async check(): Promise<void> {
    try {
      const reason = await this.geocoder.refusedSettings(this.stopping.signal);
      if (this.stopping.signal.aborted) return;
      this.tell(reason);
      await this.calls.setRefused(reason);
      if (reason === null) return;
    } catch (error) {
      if (this.stopping.signal.aborted) return;
      this.errors.report(error);
    }
    this.timer = setTimeout(() => void this.check(), AGAIN_MS);
  }

  private tell(reason: string | null): void {
    const { benchmark, vintage } = this.config.geocoder;
    if (reason !== null && reason !== this.told)
      this.logger.error({ benchmark, vintage }, `no address is looked up: ${reason}`);
    if (reason === null && this.told !== null)
      this.logger.info({ benchmark, vintage }, 'addresses are looked up again');
    this.told = reason;
  }
}
