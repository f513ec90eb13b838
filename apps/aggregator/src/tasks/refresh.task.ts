import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config, isHttpUrl } from '@donorlens/config';
import { SourceFileRepository } from '@donorlens/downloads';
import { LOGGER, type Logger } from '@donorlens/observability';
import { RUNS, referenceSchedule } from '@donorlens/operations';
import { type RefreshReport, ReleaseRepository, dataSource, ensureSample, refresh } from '@donorlens/reference-data';
import { JobRunRepository } from '../scheduling/job-run.repository';
import { JobRunner, isInterrupted, messageOf } from '../scheduling/job-runner';
import { type LeaderTask, UnusableDataSourceError } from '../scheduling/leader-task-runner';
import { type LeadershipTerm } from '../scheduling/leadership';
import { OperatorRequestRunner } from '../scheduling/operator-request-runner';

const CHECK_SCHEDULE_MS = 60_000;
const RETRY_MS = 2_000;
const RUN_HISTORY_DAYS = 400;
const FAILED = 'reference data could not be refreshed; the active release stays and the next attempt is on schedule';

/**
 * Keeps the reference data up to date. At the start of a term it loads the files of DATA_SOURCE, if the active release
 * was not made from them; without DATA_SOURCE it loads the included sample if there is no release yet. Then it
 * refreshes on schedule: monthly unless switched off, and hourly while only the sample is loaded. It also runs
 * refreshes that operators request. It checks requests once a second and the schedule once a minute.
 *
 * A crash does not change the active release, and the next leader takes over the interrupted run. A second refresh from
 * the same files changes nothing. A former leader cannot activate a release: the update checks the fencing token.
 */
@Injectable()
export class RefreshTask implements LeaderTask {
  readonly name = 'reference data';
  readonly intervalMs = 1_000;
  private loadedTerm: string | null = null;
  private nextCheckAt = 0;
  private hasFailed = false;

  constructor(
    private readonly releases: ReleaseRepository,
    private readonly downloads: SourceFileRepository,
    private readonly runs: JobRunRepository,
    private readonly jobs: JobRunner,
    private readonly requests: OperatorRequestRunner,
    @Inject(CONFIG) private readonly config: Config,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** Imports wait until this is true, so that they use the release of DATA_SOURCE. */
  hasLoaded({ fence }: LeadershipTerm): boolean {
    return this.loadedTerm === fence.epoch;
  }

  /** @throws UnusableDataSourceError */
  async run(term: LeadershipTerm): Promise<number | void> {
    if (!this.hasLoaded(term)) {
      if (!(await this.load(term))) return RETRY_MS;
      this.loadedTerm = term.fence.epoch;
      this.nextCheckAt = 0;
    }
    if (performance.now() >= this.nextCheckAt) {
      this.nextCheckAt = performance.now() + CHECK_SCHEDULE_MS;
      await this.refreshIfDue(term);
    }
    await this.requests.run('reference-data', term, () =>
      this.jobs.runNow(RUNS.referenceData, term, () => this.refreshAndReport(term)),
    );
  }

  /** @returns false if the load must be retried: the database does not answer, or the term has ended */
  private async load(term: LeadershipTerm): Promise<boolean> {
    try {
      if (this.config.dataSource !== undefined) this.log(await this.refresh(term, await this.firstLoadLevel()));
      else if (await ensureSample(this.options(term)))
        this.logger.info('the sample that ships with donorlens is active until the official files are loaded');
      return true;
    } catch (error) {
      if (isInterrupted(error, term) || !(await this.databaseAnswers())) return false;
      if (!(await this.canContinue()))
        throw new UnusableDataSourceError(`reference data cannot be loaded: ${messageOf(error)}`);
      this.logger.warn(`${FAILED}: ${messageOf(error)}`);
      return true;
    }
  }

  /** A URL may be down for a time, during which an earlier release stays active. A wrong folder does not recover. */
  private async canContinue(): Promise<boolean> {
    const isUrl = isHttpUrl(this.config.dataSource);
    return isUrl && (await this.releases.activeId()) !== null;
  }

  private databaseAnswers(): Promise<boolean> {
    return this.runs.now().then(
      () => true,
      () => false,
    );
  }

  private async refreshIfDue(term: LeadershipTerm): Promise<void> {
    const schedule = referenceSchedule(this.config, (await this.releases.active())?.label ?? null);
    if (schedule === null) return;
    await this.jobs.runIfDue(
      RUNS.referenceData,
      schedule,
      term,
      () => this.refreshAndReport(term),
      (error) => this.logFailure(error, term),
    );
  }

  private async refreshAndReport(term: LeadershipTerm): Promise<object> {
    const report = await this.refresh(term);
    this.hasFailed = false;
    this.log(report);
    await this.runs
      .prune(RUN_HISTORY_DAYS)
      .catch((err: unknown) =>
        this.logger.warn({ err }, 'old job runs were not deleted; the next refresh tries again'),
      );
    return { outcome: report.outcome, releaseId: report.releaseId };
  }

  /** Warns only once, because a machine without a network would repeat the warning every hour. */
  private logFailure(error: unknown, term: LeadershipTerm): void {
    if (isInterrupted(error, term)) return;
    this.logger[this.hasFailed ? 'debug' : 'warn'](`${FAILED}: ${messageOf(error)}`);
    this.hasFailed = true;
  }

  /** Without a release the service waits for this load, so its steps are logged at level info for `npm start`. */
  private async firstLoadLevel(): Promise<'info' | 'debug'> {
    return (await this.releases.activeId()) === null ? 'info' : 'debug';
  }

  private async refresh(term: LeadershipTerm, level?: 'info' | 'debug'): Promise<RefreshReport> {
    return refresh({ ...this.options(term, level), source: await dataSource(this.config, this.downloads) });
  }

  private options({ fence, signal }: LeadershipTerm, level: 'info' | 'debug' = 'debug') {
    return {
      repository: this.releases,
      home: this.config.home,
      fence,
      onProgress: (step: string) => this.logger[level]({ step }, 'loading reference data'),
      signal,
    };
  }

  private log({ outcome, releaseId, label }: RefreshReport): void {
    const level = outcome === 'unchanged' ? 'debug' : 'info';
    this.logger[level]({ release: releaseId, label, outcome }, `reference data: ${outcome}`);
  }
}
