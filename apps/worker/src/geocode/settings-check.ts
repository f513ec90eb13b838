import { type BeforeApplicationShutdown, Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { type Pool } from 'pg';
import { CONFIG, type Config } from '@donorlens/config';
import { PG_POOL } from '@donorlens/database';
import { CallRepository, GEOCODER, type Geocoder } from '@donorlens/geocoding';
import { readGeocoderStatus } from '@donorlens/locations';
import { LOGGER, type Logger } from '@donorlens/observability';
import { ErrorLog } from '@donorlens/queues';

const AGAIN_MS = 60_000;

/**
 * Asks the geocoder whether it knows the benchmark and vintage it is to be asked for, at start, then for as long as it
 * does not. Meanwhile calls that are asked under these wait and the status says why; everything else goes on. What a
 * worker with other settings has found, and left behind, is taken back once nobody waits for it. A geocoder that is to be left alone is not asked this either: its next probe tells
 * as much.
 */
@Injectable()
export class SettingsCheck implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly stopping = new AbortController();
  private readonly errors: ErrorLog;
  private timer: NodeJS.Timeout | undefined;
  private told: string | null = null;
  /** Whether the settings are good is not known yet, or they are not. */
  private isOpen = true;

  constructor(
    @Inject(GEOCODER) private readonly geocoder: Geocoder,
    private readonly calls: CallRepository,
    @Inject(PG_POOL) private readonly pool: Pool,
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

  /** Never throws. @returns true where it is to be asked again */
  async look(): Promise<boolean> {
    const { signal } = this.stopping;
    try {
      const isLeftAlone = await this.isLeftAlone();
      const reason = isLeftAlone ? null : await this.geocoder.refusedSettings(signal);
      if (signal.aborted) return false;
      if (!isLeftAlone) this.tell(reason);
      await this.calls.setRefused(this.config.geocoder, reason);
      return isLeftAlone || reason !== null;
    } catch (error) {
      if (!signal.aborted) this.errors.report(error);
      return true;
    }
  }

  private async check(): Promise<void> {
    if (this.isOpen || (await this.isRefused())) this.isOpen = await this.look();
    if (!this.stopping.signal.aborted) this.timer = setTimeout(() => void this.check(), AGAIN_MS);
  }

  /**
   * Whether another worker has found our settings refused. What one found of its own, and left, is forgotten by the way.
   * A database that is away is looked at again in a minute.
   */
  private async isRefused(): Promise<boolean> {
    const { geocoder } = this.config;
    try {
      if (await this.calls.isRefused(geocoder)) return true;
      await this.calls.setRefused(geocoder, null);
    } catch (error) {
      this.errors.report(error);
    }
    return false;
  }

  private async isLeftAlone(): Promise<boolean> {
    const { circuit, closedUntil } = await readGeocoderStatus(this.pool, this.config.geocoder);
    return circuit !== 'closed' || closedUntil !== null;
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
