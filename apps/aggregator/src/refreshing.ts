import { setTimeout as pause } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '@donorlens/config';
import { SourceFileRepository } from '@donorlens/downloads';
import { StaleFenceError } from '@donorlens/database';
import { LOGGER, type Logger } from '@donorlens/observability';
import { type RefreshReport, ReleaseRepository, dataSource, ensureSample, refresh } from '@donorlens/reference-data';
import { type JobRun, JobRunRepository } from './scheduling/job-run.repository';
import { LEASE, type Term } from './scheduling/leadership';
import { hourly, monthly } from './scheduling/ticks';

const KIND = 'refresh-reference-data';
const LOOK_MS = 60_000;
const AGAIN_MS = 2_000;
const RUNS_KEPT_DAYS = 400;
const STAYS = 'reference data could not be refreshed, the active release stays and the next try is on schedule';

/** What DATA_SOURCE names cannot be used, and nothing else was asked for. */
export class UnusableDataSourceError extends Error {}

/**
 * Keeps the reference data up to date while leading. At the start: what DATA_SOURCE names, where its files are not
 * those of the active release; else the shipped sample, where there is nothing yet. Then on schedule, in the
 * background: monthly unless switched off, and hourly for as long as only the sample is there.
 *
 * A crash leaves the active release as it was; the run it interrupted is taken over by the next leader. The same files
 * twice change nothing. A former leader cannot activate anything: the move of the pointer checks the epoch.
 */
@Injectable()
export class Refreshing {
  private failedBefore = false;

  constructor(
    private readonly releases: ReleaseRepository,
    private readonly downloads: SourceFileRepository,
    private readonly runs: JobRunRepository,
    @Inject(CONFIG) private readonly config: Config,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  async onSchedule(term: Term): Promise<void> {
    while (!term.signal.aborted) {
      await this.ifDue(term);
      await pause(LOOK_MS, undefined, { signal: term.signal }).catch(() => undefined);
    }
  }

  /** Whatever there is to answer from is active afterwards, unless the term ended. @throws UnusableDataSourceError */
  async first(term: Term): Promise<void> {
    for (;;)
      try {
        if (this.config.dataSource !== undefined) this.tell(await this.refresh(term));
        else if (await ensureSample(this.options(term)))
          this.logger.info('answers come from the sample that ships with donorlens, until the official files are here');
        return;
      } catch (error) {
        if (term.signal.aborted || error instanceof StaleFenceError) return; // the next leader does it
        if (await this.databaseAnswers()) return this.endUnless(await this.canWait(), error);
        await pause(AGAIN_MS, undefined, { signal: term.signal }).catch(() => undefined);
      }
  }

  /** An address that is away may come back while an earlier release answers; a folder that is wrong stays wrong. */
  private async canWait(): Promise<boolean> {
    const isAddress = /^https?:/i.test(this.config.dataSource ?? '');
    return isAddress && (await this.releases.activeId()) !== null;
  }

  private endUnless(canWait: boolean, error: unknown): void {
    const why = error instanceof Error ? error.message : String(error);
    if (!canWait) throw new UnusableDataSourceError(`reference data cannot be loaded: ${why}`);
    this.logger.warn(`${STAYS}: ${why}`);
  }

  private databaseAnswers(): Promise<boolean> {
    return this.runs.now().then(
      () => true,
      () => false,
    );
  }

  private async ifDue(term: Term): Promise<void> {
    try {
      if (this.config.referenceRefresh === 'off') return;
      const active = await this.releases.active();
      const schedule = active?.label === 'sample' && this.config.dataSource === undefined ? hourly : monthly;
      const run = await this.runs.claim(KIND, schedule(await this.runs.now()), term.epoch);
      if (run) await this.run(run, term);
    } catch (err) {
      if (!term.signal.aborted)
        this.logger.warn({ err }, 'refresh of the reference data: the database does not answer');
    }
  }

  private async run(run: JobRun, term: Term): Promise<void> {
    try {
      const report = await this.refresh(term);
      this.failedBefore = false;
      this.tell(report);
      await this.runs.finish(run, 'done', { outcome: report.outcome, releaseId: report.releaseId });
      await this.runs.prune(RUNS_KEPT_DAYS);
    } catch (error) {
      if (term.signal.aborted || error instanceof StaleFenceError) return; // left as running: the next leader takes it over
      const message = error instanceof Error ? error.message : String(error);
      // Said once: a machine without a network would hear it every hour.
      this.logger[this.failedBefore ? 'debug' : 'warn'](`${STAYS}: ${message}`);
      this.failedBefore = true;
      await this.runs.finish(run, 'failed', { message });
    }
  }

  private async refresh(term: Term): Promise<RefreshReport> {
    return refresh({ ...this.options(term), source: await dataSource(this.config, this.downloads) });
  }

  private options(term: Term) {
    return {
      repository: this.releases,
      home: this.config.home,
      fence: { lease: LEASE, epoch: term.epoch },
      onProgress: (step: string) => this.logger.debug({ step }, 'refresh of the reference data'),
      signal: term.signal,
    };
  }

  private tell({ outcome, releaseId, label }: RefreshReport): void {
    const level = outcome === 'unchanged' ? 'debug' : 'info';
    this.logger[level]({ release: releaseId, label, outcome }, `reference data: ${outcome}`);
  }
}
