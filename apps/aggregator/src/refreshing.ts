import { setTimeout as pause } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '@donorlens/config';
import { SourceFileRepository } from '@donorlens/downloads';
import { StaleFenceError } from '@donorlens/database';
import { LOGGER, type Logger } from '@donorlens/observability';
import { RUNS, referenceSchedule } from '@donorlens/operations';
import { type RefreshReport, ReleaseRepository, dataSource, ensureSample, refresh } from '@donorlens/reference-data';
import { AskedWork } from './asked-work';
import { type JobRun, JobRunRepository } from './scheduling/job-run.repository';
import { LEASE, type Term } from './scheduling/leadership';

const ASK_MS = 1_000;
const LOOK_EVERY = 60;
const AGAIN_MS = 2_000;
const RUNS_KEPT_DAYS = 400;
const STAYS = 'reference data could not be refreshed, the active release stays and the next try is on schedule';

/** What DATA_SOURCE names cannot be used, and nothing else was asked for. */
export class UnusableDataSourceError extends Error {}

/**
 * Keeps the reference data up to date while leading. At the start: what DATA_SOURCE names, where its files are not
 * those of the active release; else the shipped sample, where there is nothing yet. Then on schedule, in the
 * background: monthly unless switched off, and hourly for as long as only the sample is there; and whenever an operator
 * asks for it.
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
    private readonly asked: AskedWork,
    @Inject(CONFIG) private readonly config: Config,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  async onSchedule(term: Term): Promise<void> {
    for (let looks = 0; !term.signal.aborted; looks++) {
      if (looks % LOOK_EVERY === 0) await this.ifDue(term);
      await this.asked.run('reference-data', term, () => this.now(term)).catch(() => undefined); // looked at again in a second
      await pause(ASK_MS, undefined, { signal: term.signal }).catch(() => undefined);
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
        if (isCutShort(error, term)) return; // the next leader does it
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
    if (!canWait) throw new UnusableDataSourceError(`reference data cannot be loaded: ${messageOf(error)}`);
    this.logger.warn(`${STAYS}: ${messageOf(error)}`);
  }

  private databaseAnswers(): Promise<boolean> {
    return this.runs.now().then(
      () => true,
      () => false,
    );
  }

  private async ifDue(term: Term): Promise<void> {
    try {
      const schedule = referenceSchedule(this.config, (await this.releases.active())?.label ?? null);
      if (schedule === null) return;
      const run = await this.runs.claim(RUNS.referenceData, schedule(await this.runs.now()), term.epoch);
      if (run) await this.run(run, term).catch((error: unknown) => this.tellFailed(error, term));
    } catch (err) {
      if (!term.signal.aborted)
        this.logger.warn({ err }, 'refresh of the reference data: the database does not answer');
    }
  }

  private async now(term: Term): Promise<object> {
    const run = await this.runs.claim(RUNS.referenceData, await this.runs.now(), term.epoch);
    if (run === null) throw new Error('another refresh began at the same moment');
    return this.run(run, term);
  }

  /** A run that the end of the term cuts short is left as running: the next leader takes it over. @throws why it failed */
  private async run(run: JobRun, term: Term): Promise<object> {
    try {
      const report = await this.refresh(term);
      this.failedBefore = false;
      this.tell(report);
      const detail = { outcome: report.outcome, releaseId: report.releaseId };
      await this.runs.finish(run, 'done', detail);
      await this.runs.prune(RUNS_KEPT_DAYS);
      return detail;
    } catch (error) {
      if (!isCutShort(error, term)) await this.runs.finish(run, 'failed', { message: messageOf(error) });
      throw error;
    }
  }

  /** Said once: a machine without a network would hear it every hour. */
  private tellFailed(error: unknown, term: Term): void {
    if (isCutShort(error, term)) return;
    this.logger[this.failedBefore ? 'debug' : 'warn'](`${STAYS}: ${messageOf(error)}`);
    this.failedBefore = true;
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

const isCutShort = (error: unknown, term: Term): boolean => term.signal.aborted || error instanceof StaleFenceError;
const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
