import { ReconcilerRepository } from '@donorlens/batches';
import { type QueueBackend, type Role } from '../../../test/support/installation';
import { say } from '../../command/report';
import { ACTIONS, endsWorker, type Problem, type Round } from './crash-actions';
import { chartsDigest, releaseProblems, untilIdle } from './crash-checks';
import { CrashRecords } from './crash-records';
import { CrashStage, ROLES } from './crash-stage';

/** Rounds without a crash. The behavior of the geocoder repeats after this many rounds. */
const UNDISTURBED = 4;
/** Maximum number of crashes of a role in one round. After five of a worker on one chunk, a row is marked as poison. */
const CRASHES = { api: { all: 3, known: 2 }, worker: { all: 4, known: 2 }, aggregator: { all: 12, known: 9 } };
/** Rounds in a row without a crash after which the remaining points are tried in new installations. */
const MAX_IDLE_ROUNDS = 8;
/** New installations in a row without a crash. Some points are passed only in the first minutes of an installation. */
const MAX_IDLE_INSTALLATIONS = 4;

/** Repeats the same actions. In each round, processes crash at points where no process has crashed yet. */
export class CrashRounds {
  readonly problems: Problem[] = [];
  count = 0;
  private hasTimedOut = false;
  private stage: CrashStage | undefined;
  private readonly earlierDeaths: Record<Role, number> = { api: 0, worker: 0, aggregator: 0 };
  private crashedBefore: ReadonlySet<string> = new Set();
  private readonly digests = new Map<number, string>();

  readonly records: CrashRecords;

  /** @param folder - holds the records and the files of the rounds */
  constructor(
    private readonly queue: QueueBackend,
    private readonly folder: string,
  ) {
    this.records = new CrashRecords(folder);
  }

  /** The reason why the rounds ended. */
  get end(): string {
    return this.hasTimedOut
      ? 'the time or the number of rounds was used up'
      : `no process crashed there in ${MAX_IDLE_ROUNDS} rounds in a row and in ${MAX_IDLE_INSTALLATIONS} new installations`;
  }

  deaths(role?: Role): number {
    const roles = role === undefined ? ROLES : [role];
    return roles.reduce((sum, one) => sum + this.earlierDeaths[one] + (this.stage?.unexpectedExits(one) ?? 0), 0);
  }

  /** Stops the installation. */
  async stop(): Promise<void> {
    const { stage } = this;
    this.stage = undefined;
    for (const role of ROLES) this.earlierDeaths[role] += stage?.unexpectedExits(role) ?? 0;
    await stage?.stop();
  }

  /** Records the crash points and the charts of rounds without a crash. */
  async undisturbed(): Promise<void> {
    this.stage ??= await CrashStage.start(this.queue, this.folder);
    for (let nth = 0; nth < UNDISTURBED; nth++) await this.round();
  }

  /** Runs rounds in one installation first, then in new ones. */
  async untilAllCrashed({ end, maxRounds }: { readonly end: number; readonly maxRounds: number }): Promise<void> {
    const hasTime = (): boolean =>
      !(this.hasTimedOut = performance.now() >= end || this.count >= UNDISTURBED + maxRounds);
    for (let idle = 0; idle < MAX_IDLE_ROUNDS && hasTime() && this.arm();) {
      const { size } = this.records.crashed();
      // a restarting process passes the points of a start; a process that receives SIGTERM passes those of a stop
      for (const role of ROLES) this.stage?.end(role, this.count % 2 === 0 ? 'SIGTERM' : 'SIGKILL');
      await this.round();
      idle = this.records.crashed().size > size ? 0 : idle + 1;
      this.report();
    }
    for (let idle = 0; idle < MAX_IDLE_INSTALLATIONS && hasTime();) {
      const { size } = this.records.crashed();
      this.disarm(); // the stop of the old installation is not checked
      await this.stop();
      if (!this.arm()) return;
      this.stage = await CrashStage.start(this.queue, this.folder);
      await this.round();
      this.arm(); // includes the points that only a new installation passes
      await this.round();
      this.disarm();
      await this.round();
      idle = this.records.crashed().size > size ? 0 : idle + 1;
      this.report();
    }
  }

  private report(): void {
    const { records, problems } = this;
    const points = `${records.crashed().size} of ${records.seen().length} points`;
    say(`round ${this.count}: ${points}, ${this.deaths()} ends, ${problems.length} problems`);
  }

  /** @returns false if there is no point left */
  private arm(): boolean {
    const crashed = (this.crashedBefore = this.records.crashed());
    const known = this.records.seen().map(({ id }) => id);
    const worker = { ...CRASHES.worker, all: CRASHES.worker.all - (endsWorker(this.count) ? 1 : 0) };
    this.records.arm({ round: this.count, known, crashes: { ...CRASHES, worker } });
    return known.some((id) => !crashed.has(id));
  }

  private disarm(): void {
    this.records.arm({ round: this.count, known: [], crashes: {} });
  }

  private async round(): Promise<void> {
    if (this.stage === undefined) throw new Error('no installation');
    const round: Round = { stage: this.stage, nth: this.count };
    await round.stage.files.publish(round.nth);
    const caught = (error: Error): Problem[] => [error.message];
    const found = await Promise.all(ACTIONS.map((action) => action(round).catch(caught)));
    const problems = [...found.flat(), ...(await this.check(round).catch(caught))];
    this.count++;
    if (problems.length === 0) return;
    this.problems.push(...problems);
    const ended = [...this.records.crashed()].filter((id) => !this.crashedBefore.has(id));
    say(`problems of round ${round.nth}: ${problems.join('; ')}\n  crashes at:\n  ${ended.join('\n  ')}`);
  }

  private async check(round: Round): Promise<Problem[]> {
    const { pool } = round.stage;
    await untilIdle(pool);
    const violations = await new ReconcilerRepository(pool).violations();
    const digest = await chartsDigest(pool);
    const kind = round.nth % 2;
    const expected = this.digests.get(kind) ?? digest;
    this.digests.set(kind, expected);
    const problems = [
      ...(violations === 0 ? [] : [`counters of ${violations} batches are wrong`]),
      ...(digest === expected ? [] : [`charts are ${digest} and not ${expected}`]),
      ...(await releaseProblems(round)),
    ];
    // expired batches are erased during the next round
    await pool.query(`update batch set expires_at = now() where state in ('completed', 'cancelled', 'failed')`);
    return problems;
  }
}
