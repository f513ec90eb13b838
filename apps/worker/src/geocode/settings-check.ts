import { type BeforeApplicationShutdown, Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { type Pool } from 'pg';
import { CONFIG, type Config } from '@donorlens/config';
import { PG_POOL } from '@donorlens/database';
import { CallRepository, GEOCODER, type Geocoder } from '@donorlens/geocoding';
import { readGeocoderStatus } from '@donorlens/locations';
import { LOGGER, type Logger } from '@donorlens/observability';
import { ErrorLog } from '@donorlens/queues';

const RECHECK_MS = 60_000;

/**
 * Checks whether the geocoder knows the configured benchmark and vintage: at start, then every minute until it does.
 * Until then, calls with these settings wait and the status shows the reason; everything else continues. A refusal that
 * a worker with other settings stored is removed when no call waits for it. While the circuit is open, the settings are
 * not checked, because the next test call checks them too.
 */
@Injectable()
export class SettingsCheck implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly stopping = new AbortController();
  private readonly errors: ErrorLog;
  private timer: NodeJS.Timeout | undefined;
  private logged: string | null = null;
  /** True while the settings are unchecked, unknown or refused. */
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

  /** Never throws. @returns true if another check is needed */
  async checkOnce(): Promise<boolean> {
    const { signal } = this.stopping;
    try {
      const isBlocked = await this.isBlocked();
      const reason = isBlocked ? null : await this.geocoder.refusedSettings(signal);
      if (signal.aborted) return false;
      if (reason === undefined) {
        await this.isRefused(); // a stored refusal of these settings stays; outdated ones are removed
        return true;
      }
      if (!isBlocked) this.log(reason);
      await this.calls.setRefused(this.config.geocoder, reason);
      return isBlocked || reason !== null;
    } catch (error) {
      if (!signal.aborted) this.errors.report(error);
      return true;
    }
  }

  private async check(): Promise<void> {
    if (this.isOpen || (await this.isRefused())) this.isOpen = await this.checkOnce();
    if (!this.stopping.signal.aborted) this.timer = setTimeout(() => void this.check(), RECHECK_MS);
  }

  /**
   * Whether another worker stored a refusal of these settings. Also removes outdated refusals.
   * If the database is unavailable, the next check is in a minute.
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

  private async isBlocked(): Promise<boolean> {
    const { circuit, closedUntil } = await readGeocoderStatus(this.pool, this.config.geocoder);
    return circuit !== 'closed' || closedUntil !== null;
  }

  private log(reason: string | null): void {
    const { benchmark, vintage } = this.config.geocoder;
    if (reason !== null && reason !== this.logged)
      this.logger.error({ benchmark, vintage }, `geocoding has stopped: ${reason}`);
    if (reason === null && this.logged !== null) this.logger.info({ benchmark, vintage }, 'geocoding has resumed');
    this.logged = reason;
  }
}
