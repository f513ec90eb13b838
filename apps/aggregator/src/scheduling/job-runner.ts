import { setTimeout as sleep } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import { StaleFenceError, isTransientDatabaseError } from '@donorlens/database';
import { LOGGER, type Logger } from '@donorlens/observability';
import { type Schedule } from '@donorlens/operations';
import { type JobRun, JobRunRepository } from './job-run.repository';
import { type LeadershipTerm } from './leadership';

const RETRY_MS = 1_000;

/** Runs jobs and records each run. A run that is open at the end of a term is taken over by the next leader. */
@Injectable()
export class JobRunner {
  constructor(
    private readonly runs: JobRunRepository,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** Runs a job unless its last scheduled time already has a run. @param onFailure - handles the error of the work */
  async runIfDue(
    kind: string,
    schedule: Schedule,
    term: LeadershipTerm,
    work: () => Promise<object>,
    onFailure: (error: unknown) => void,
  ): Promise<void> {
    const run = await this.runs.claim(kind, schedule(await this.runs.now()), term.fence.epoch);
    if (run) await this.record(run, term, work).catch(onFailure);
  }

  /** Runs a job now, for an operator. @throws the error of the work */
  async runNow<T extends object>(kind: string, term: LeadershipTerm, work: () => Promise<T>): Promise<T> {
    const run = await this.runs.claim(kind, await this.runs.now(), term.fence.epoch);
    if (run === null)
      throw new Error(
        'the run was not started: another run started at the same moment, or another aggregator became the leader; request it again',
      );
    return this.record(run, term, work);
  }

  private async record<T extends object>(run: JobRun, term: LeadershipTerm, work: () => Promise<T>): Promise<T> {
    try {
      const detail = await work();
      await this.finish(run, term, 'done', detail);
      return detail;
    } catch (error) {
      // finish() writes nothing for a former leader. An import that loses its own lease within the term has failed.
      if (!term.signal.aborted)
        await this.finish(run, term, 'failed', { message: messageOf(error) }).catch((err: unknown) =>
          this.logger.warn({ err, run: run.id }, `job run failed and was not recorded: ${messageOf(error)}`),
        );
      throw error;
    }
  }

  /**
   * Records the result, and retries each second while the database is away: no other run of the term would repeat it.
   * @throws the database's error if it does not pass, or after the end of the term
   */
  private async finish(run: JobRun, term: LeadershipTerm, state: 'done' | 'failed', detail: object): Promise<void> {
    for (let attempt = 1; ; attempt++)
      try {
        await this.runs.finish(run, state, detail);
        return;
      } catch (err) {
        if (!isTransientDatabaseError(err)) throw err;
        if (attempt === 1)
          this.logger.warn(
            { err, run: run.id, state, ...detail },
            'result of a job run not recorded, retried each second',
          );
        await sleep(RETRY_MS, undefined, { signal: term.signal }).catch(() => undefined);
        if (term.signal.aborted) throw err;
      }
  }
}

/** Whether the end of the term interrupted the work; the next leader repeats it. */
export const isInterrupted = (error: unknown, term: LeadershipTerm): boolean =>
  term.signal.aborted || error instanceof StaleFenceError;

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
