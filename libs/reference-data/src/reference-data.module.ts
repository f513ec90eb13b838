import { Module, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { type Pool } from 'pg';
import { CONFIG, type Config } from '@donorlens/config';
import { PG_POOL, StartChecks } from '@donorlens/database';
import { SourceFileRepository } from '@donorlens/downloads';
import { LOGGER, type Logger } from '@donorlens/observability';
import { ReleaseCache } from './releases/release-cache';
import { ReleaseHolder } from './releases/release-holder';
import { ReleaseRepository } from './releases/release.repository';

@Module({
  providers: [
    ReleaseRepository,
    { provide: SourceFileRepository, useFactory: (pool: Pool) => new SourceFileRepository(pool), inject: [PG_POOL] },
    {
      provide: ReleaseCache,
      useFactory: (config: Config, repository: ReleaseRepository, logger: Logger) =>
        new ReleaseCache(config.home, repository, (message) => logger.warn(message)),
      inject: [CONFIG, ReleaseRepository, LOGGER],
    },
    {
      provide: ReleaseHolder,
      useFactory: (repository: ReleaseRepository, cache: ReleaseCache, logger: Logger) =>
        new ReleaseHolder(repository, cache, logger),
      inject: [ReleaseRepository, ReleaseCache, LOGGER],
    },
  ],
  exports: [ReleaseRepository, SourceFileRepository, ReleaseCache, ReleaseHolder],
})
export class ReferenceDataModule implements OnApplicationBootstrap, OnApplicationShutdown {
  constructor(
    private readonly holder: ReleaseHolder,
    private readonly startChecks: StartChecks,
  ) {}

  /** Requests are taken when the release that is active by then is loaded. */
  async onApplicationBootstrap(): Promise<void> {
    await this.holder.start(this.startChecks.answerWaitMs);
  }

  onApplicationShutdown(): void {
    this.holder.stop();
  }
}
