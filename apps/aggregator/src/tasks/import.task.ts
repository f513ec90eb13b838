import { Inject, Injectable } from '@nestjs/common';
import { type Pool } from 'pg';
import { CONFIG, type Config } from '@donorlens/config';
import { PG_POOL } from '@donorlens/database';
import { ImportBusyError, ImportLease } from '@donorlens/imports';
import { LOGGER, type Logger } from '@donorlens/observability';
import {
  type OperatorRequest,
  RUNS,
  type Schedule,
  dailyAt,
  fecSchedule,
  filingsSchedule,
} from '@donorlens/operations';
import { ReleaseRepository } from '@donorlens/reference-data';
import { CampaignData, type FilingDays, type ImportWork } from '../campaign-data';
import { JobRunRepository } from '../scheduling/job-run.repository';
import { JobRunner, messageOf } from '../scheduling/job-runner';
import { type LeaderTask } from '../scheduling/leader-task-runner';
import { type LeadershipTerm } from '../scheduling/leadership';
import { OperatorRequestRunner } from '../scheduling/operator-request-runner';
import { RefreshTask } from './refresh.task';

const MIDNIGHT = 0;
const CHECK_SCHEDULE_MS = 10_000;
const WITHOUT_RELEASE_MS = 500;

/**
 * Keeps candidates, committees, contributions and charts up to date. It imports bulk files once a day and filings as
 * FEC_FILINGS sets, enriches stored rows under a new active release, and then updates charts. It checks the schedule
 * every 10 s and operator requests every second. Without data, the first run ignores the time of day, and a synthetic
 * sample is shown until real data is imported. No import starts before the term has loaded its reference data.
 *
 * One import runs at a time across all processes. While an operator's import runs, this task tries again later. A crash
 * leaves the import at its last checkpoint; the next leader takes over the run and continues from there.
 */
@Injectable()
export class ImportTask implements LeaderTask {
  readonly name = 'imports';
  readonly intervalMs = 1_000;
  private checkedTerm: string | null = null;
  private nextCheckAt = 0;

  constructor(
    private readonly refresh: RefreshTask,
    private readonly data: CampaignData,
    private readonly runs: JobRunRepository,
    private readonly jobs: JobRunner,
    private readonly releases: ReleaseRepository,
    private readonly requests: OperatorRequestRunner,
    @Inject(PG_POOL) private readonly pool: Pool,
    @Inject(CONFIG) private readonly config: Config,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  async run(term: LeadershipTerm): Promise<number | void> {
    const isChecked = this.checkedTerm === term.fence.epoch && performance.now() < this.nextCheckAt;
    if (isChecked && !(await this.requests.hasOpen('campaign-data'))) return;
    if (!this.refresh.hasLoaded(term) || !(await this.hasRelease())) return WITHOUT_RELEASE_MS;
    try {
      await this.importUnderLease(term);
    } finally {
      this.checkedTerm = term.fence.epoch;
      this.nextCheckAt = performance.now() + CHECK_SCHEDULE_MS;
    }
  }

  private hasRelease(): Promise<boolean> {
    return this.releases.activeId().then(
      (id) => id !== null,
      () => false,
    );
  }

  private async importUnderLease(term: LeadershipTerm): Promise<void> {
    let lease: ImportLease | undefined;
    try {
      lease = await ImportLease.take(this.pool, this.logger);
      await this.importAll(term, lease);
    } catch (error) {
      if (!(error instanceof ImportBusyError)) throw error;
    } finally {
      await lease?.release();
    }
  }

  private async importAll(term: LeadershipTerm, lease: ImportLease): Promise<void> {
    const work = { lease, signal: AbortSignal.any([term.signal, lease.signal]) };
    await this.data.removeLeftovers();
    await this.requests.run('campaign-data', term, (request) => this.execute(request, work, term));
    const hasRealData = await this.data.hasRealData();
    const cycles = await this.data.cycles();
    const bulk = cycles.length > 0 ? fecSchedule(this.config, hasRealData) : null;
    if (bulk) await this.runIfDue(bulk, RUNS.fec, term, () => this.data.importBulk(work, cycles));
    const filings = filingsSchedule(this.config);
    if (filings) await this.runIfDue(filings, RUNS.filings, term, () => this.importFilings(work));
    if (await this.data.wantsSample()) await this.data.importSample(work);
    await this.data.bringUpToDate(work);
    await this.runIfDue(dailyAt(MIDNIGHT), RUNS.sensitivity, term, () => this.data.measureSensitivity());
  }

  private async importFilings(work: ImportWork): Promise<FilingDays> {
    return this.data.importNewFilings(work, (await this.runs.newestDone<FilingDays>(RUNS.filings)) ?? {});
  }

  /** Runs an operator request. @returns its result */
  private async execute({ target }: OperatorRequest, work: ImportWork, term: LeadershipTerm): Promise<object> {
    if (target.source === 'charts') return this.data.rebuildCharts(work);
    if (target.source === 'filings') {
      const { filings } = await this.jobs.runNow(RUNS.filings, term, () => this.importFilings(work));
      return { filings };
    }
    const cycles = await this.data.cycles();
    if (cycles.length === 0)
      throw new Error('no cycle is configured: set FEC_CYCLES, or DATA_SOURCE to a folder that has FEC files');
    return this.jobs.runNow(RUNS.fec, term, () => this.data.importBulk(work, cycles));
  }

  /** Logs a failed import and continues with the others, unless the term has ended. */
  private async runIfDue(
    schedule: Schedule,
    kind: string,
    term: LeadershipTerm,
    work: () => Promise<object>,
  ): Promise<void> {
    await this.jobs.runIfDue(kind, schedule, term, work, (error) => {
      if (term.signal.aborted) throw error;
      this.logger.warn(
        `FEC files could not be imported; earlier data stay and the next attempt is on schedule: ${messageOf(error)}`,
      );
    });
  }
}
