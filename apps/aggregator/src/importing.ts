import { setTimeout as pause } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import { type Pool } from 'pg';
import { CONFIG, type Config } from '@donorlens/config';
import { PG_POOL } from '@donorlens/database';
import { ImportBusyError, ImportLease } from '@donorlens/imports';
import { LOGGER, type Logger } from '@donorlens/observability';
import { type OpsRequest, RUNS, type Schedule, dailyAt, fecSchedule, filingsSchedule } from '@donorlens/operations';
import { ErrorLog } from '@donorlens/queues';
import { ReleaseRepository } from '@donorlens/reference-data';
import { AskedWork } from './asked-work';
import { CampaignData, type FilingDays, type ImportWork } from './campaign-data';
import { type JobRun, JobRunRepository } from './scheduling/job-run.repository';
import { type Term } from './scheduling/leadership';

const MIDNIGHT = 0;
const LOOK_MS = 10_000;
const WITHOUT_RELEASE_MS = 500;
const ASK_MS = 1_000;

/**
 * Keeps candidates, committees, contributions and charts up to date while leading: the bulk files once a day, filings
 * once an hour, rows of before under a newly activated release, charts after each. Where there is nothing yet, the first
 * look does not wait for the time of day, and the made-up sample stands in until real data are there. What operators ask
 * for runs between two of these, so that no two are at work at a time.
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
    private readonly asked: AskedWork,
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
      await this.rest(term, mayEnrich ? LOOK_MS : WITHOUT_RELEASE_MS);
    }
  }

  /** Until the next look is due, or something is asked for. */
  private async rest({ signal }: Term, restMs: number): Promise<void> {
    const until = performance.now() + restMs;
    do await pause(Math.min(ASK_MS, restMs), undefined, { signal }).catch(() => undefined);
    while (!signal.aborted && performance.now() < until && !(await this.asked.isAsked('campaign-data')));
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
    await this.asked.run('campaign-data', term, (request) => this.answer(request, work, term));
    const hasRealData = await this.data.hasRealData();
    const cycles = await this.data.cycles();
    const bulk = cycles.length > 0 ? fecSchedule(this.config, hasRealData) : null;
    if (bulk) await this.onceA(bulk, RUNS.fec, term, () => this.data.importBulk(work, cycles));
    const filings = filingsSchedule(this.config);
    if (filings) await this.onceA(filings, RUNS.filings, term, () => this.filings(work));
    if (await this.data.wantsSample()) await this.data.importSample(work);
    await this.data.bringUpToDate(work);
    await this.onceA(dailyAt(MIDNIGHT), RUNS.sensitivity, term, () => this.data.measureSensitivity());
  }

  private async filings(work: ImportWork): Promise<FilingDays> {
    return this.data.importNewFilings(work, (await this.runs.newestDone<FilingDays>(RUNS.filings)) ?? {});
  }

  /** What an operator asked for. @returns what came of it */
  private async answer({ target }: OpsRequest, work: ImportWork, term: Term): Promise<object> {
    if (target.source === 'charts') return this.data.rebuildCharts(work);
    if (target.source === 'filings') {
      const { filings } = await this.now(RUNS.filings, term, () => this.filings(work));
      return { filings };
    }
    const cycles = await this.data.cycles();
    if (cycles.length === 0)
      throw new Error('no cycle is kept up to date here: FEC_CYCLES names them, or DATA_SOURCE a folder that has some');
    return this.now(RUNS.fec, term, () => this.data.importBulk(work, cycles));
  }

  private async now<T extends object>(kind: string, term: Term, work: () => Promise<T>): Promise<T> {
    const run = await this.runs.claim(kind, await this.runs.now(), term.epoch);
    if (run === null) throw new Error('another one began at the same moment');
    return this.finish(run, term, work);
  }

  /** Runs what a tick asks for, unless it has had its run. */
  private async onceA(schedule: Schedule, kind: string, term: Term, work: () => Promise<object>): Promise<void> {
    const run = await this.runs.claim(kind, schedule(await this.runs.now()), term.epoch);
    if (run === null) return;
    await this.finish(run, term, work).catch((error: unknown) => {
      if (term.signal.aborted) throw error;
      this.logger.warn(
        `the FEC's files could not be imported, what is there stays and the next try is on schedule: ${messageOf(error)}`,
      );
    });
  }

  /** A run that the end of the term cuts short stays open: the next leader takes it over. @throws why it failed */
  private async finish<T extends object>(run: JobRun, term: Term, work: () => Promise<T>): Promise<T> {
    try {
      const detail = await work();
      await this.runs.finish(run, 'done', detail);
      return detail;
    } catch (error) {
      if (!term.signal.aborted) await this.runs.finish(run, 'failed', { message: messageOf(error) });
      throw error;
    }
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
