import { setTimeout as pause } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import { type Pool } from 'pg';
import { CONFIG, type Config } from '@donorlens/config';
import { PG_POOL } from '@donorlens/database';
import { ImportBusyError, ImportLease } from '@donorlens/imports';
import { LOGGER, type Logger } from '@donorlens/observability';
import { ErrorLog } from '@donorlens/queues';
import { ReleaseRepository } from '@donorlens/reference-data';
import { CampaignData, type FilingDays } from './campaign-data';
import { type JobRun, JobRunRepository } from './scheduling/job-run.repository';
import { type Term } from './scheduling/leadership';
import { type Schedule, dailyAt, hourly } from './scheduling/ticks';

const BULK = 'import-fec';
const FILINGS = 'import-filings';
const SENSITIVITY = 'donor-key-sensitivity';
const MIDNIGHT = 0;
const LOOK_MS = 10_000;
const WITHOUT_RELEASE_MS = 500;

/**
 * Keeps candidates, committees, contributions and charts up to date while leading: the bulk files once a day, filings
 * once an hour, rows of before under a newly activated release, charts after each. Where there is nothing yet, the first
 * look does not wait for the time of day, and the made-up sample stands in until real data are there.
 *
 * One import at a time over all processes: where an operator's is at work, this one looks again later. A crash leaves
 * the import as it was at its last checkpoint; the next leader takes over its run and goes on there.
 */
@Injectable()
export class Importing {
  private readonly errors: ErrorLog;

  constructor(
    private readonly data: CampaignData,
    private readonly runs: JobRunRepository,
    private readonly releases: ReleaseRepository,
    @Inject(PG_POOL) private readonly pool: Pool,
    @Inject(CONFIG) private readonly config: Config,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.errors = new ErrorLog(logger, 'imports');
  }

  async during(term: Term): Promise<void> {
    while (!term.signal.aborted) {
      const mayEnrich = await this.releases.activeId().then(
        (id) => id !== null,
        () => false,
      );
      if (mayEnrich && term.isCurrent()) await this.look(term);
      await pause(mayEnrich ? LOOK_MS : WITHOUT_RELEASE_MS, undefined, { signal: term.signal }).catch(() => undefined);
    }
  }

  private async look(term: Term): Promise<void> {
    let lease: ImportLease | undefined;
    try {
      lease = await ImportLease.take(this.pool, this.logger);
      await this.withLease(term, lease);
    } catch (error) {
      // A database that is away, a lease that was lost, somebody else's import: the next look sees to it.
      if (!term.signal.aborted && !(error instanceof ImportBusyError)) this.errors.report(error);
    } finally {
      await lease?.release();
    }
  }

  private async withLease(term: Term, lease: ImportLease): Promise<void> {
    const work = { lease, signal: AbortSignal.any([term.signal, lease.signal]) };
    const hasRealData = await this.data.hasRealData();
    const cycles = await this.data.cycles();
    const { fecImportAt } = this.config;
    if (fecImportAt !== null && cycles.length > 0)
      await this.onceA(hasRealData ? dailyAt(fecImportAt) : hourly, BULK, term, () =>
        this.data.importBulk(work, cycles),
      );
    if (this.config.fecFilings === 'hourly')
      await this.onceA(hourly, FILINGS, term, async () =>
        this.data.importNewFilings(work, (await this.runs.newestDone<FilingDays>(FILINGS)) ?? {}),
      );
    if (await this.data.wantsSample()) await this.data.importSample(work);
    await this.data.bringUpToDate(work);
    await this.onceA(dailyAt(MIDNIGHT), SENSITIVITY, term, () => this.data.measureSensitivity());
  }

  /** Runs what a tick asks for, unless it has had its run. */
  private async onceA(schedule: Schedule, kind: string, term: Term, work: () => Promise<object>): Promise<void> {
    const run = await this.runs.claim(kind, schedule(await this.runs.now()), term.epoch);
    if (run) await this.finish(run, term, work);
  }

  /** A run that the end of the term cuts short stays open: the next leader takes it over. */
  private async finish(run: JobRun, term: Term, work: () => Promise<object>): Promise<void> {
    try {
      await this.runs.finish(run, 'done', await work());
    } catch (error) {
      if (term.signal.aborted) throw error;
      const message = error instanceof Error ? error.message : String(error);
      this.logger.warn(
        `the FEC's files could not be imported, what is there stays and the next try is on schedule: ${message}`,
      );
      await this.runs.finish(run, 'failed', { message });
    }
  }
}
