import { ReconcilerRepository } from '@donorlens/batches';
import { type Role } from '../installation';
import { ACTS } from './acts';
import { FINAL } from './asking';
import { type Book, type SeenPoint } from './book';
import { type Scene, type Wrong } from './scene';
import { type Stage } from './stage';
import { atRest, chartsDigest, releaseFaults } from './whole';

/** The geocoder fares differently in so many rounds. */
const UNDISTURBED = 4;
/**
 * Ends of a role at points in one round. An act may end a worker once more; from the fifth end at the same chunk a row
 * would rightly be left out, as one that ends its worker is.
 */
const ENDS: Readonly<Record<Role, number>> = { api: 3, worker: 3, aggregator: 9 };
/** Rounds in which nobody came by any point that is left: those are not of this hour. */
const IN_VAIN = 8;
/** New installations, at whose first hour some points are and never again. */
const BEGINNINGS = 8;

/** The same acts again and again; in each round processes end at points where none has ended yet. */
export class Rounds {
  readonly wrong: Wrong[] = [];
  rounds = 0;
  private isLate = false;
  private stage: Stage | undefined;
  private earlierDeaths: Readonly<Record<Role, number>> = { api: 0, worker: 0, aggregator: 0 };
  /** Struck when points were armed last. */
  private before: ReadonlySet<string> = new Set();
  private readonly digests = new Map<number, string>();

  /** @param begin a new installation */
  constructor(
    private readonly begin: () => Promise<Stage>,
    private readonly book: Book,
    private readonly say: (text: string) => void,
  ) {}

  get points(): readonly SeenPoint[] {
    return this.book.seen();
  }

  get struck(): ReadonlySet<string> {
    return this.book.struck();
  }

  deaths(role?: Role): number {
    const roles: readonly Role[] = role === undefined ? ['api', 'worker', 'aggregator'] : [role];
    return roles.reduce((sum, one) => sum + this.earlierDeaths[one] + (this.stage?.deaths(one) ?? 0), 0);
  }

  /** Ends the installation. */
  async clear(): Promise<void> {
    const { stage } = this;
    this.stage = undefined;
    if (stage === undefined) return;
    const { api, worker, aggregator } = this.earlierDeaths;
    this.earlierDeaths = {
      api: api + stage.deaths('api'),
      worker: worker + stage.deaths('worker'),
      aggregator: aggregator + stage.deaths('aggregator'),
    };
    await stage.clear();
  }

  /** Finds the points, and what charts are where no process ends at one. */
  async undisturbed(): Promise<void> {
    this.stage ??= await this.begin();
    for (let n = 0; n < UNDISTURBED; n++) await this.round();
  }

  /** Why no more rounds were made. */
  get end(): string {
    return this.isLate
      ? 'the time was over'
      : `no process ended there in ${IN_VAIN} rounds in a row and in ${BEGINNINGS} new installations`;
  }

  /** First in the life of one installation; what is left belongs to the first hour of one, and is met in new ones. */
  async untilAllStruck(end: number): Promise<void> {
    const isInTime = (): boolean => !(this.isLate = performance.now() >= end);
    for (let inVain = 0; inVain < IN_VAIN && isInTime() && this.arm();) {
      const { size } = this.struck;
      // points of a start are passed by whoever starts, those of an end by who is asked to
      this.stage?.endAll(this.rounds % 2 === 0 ? 'SIGTERM' : 'SIGKILL');
      await this.round();
      inVain = this.struck.size > size ? 0 : inVain + 1;
      this.tell();
    }
    for (let n = 0; n < BEGINNINGS && this.left().length > 0 && isInTime(); n++) {
      await this.clear();
      this.arm(); // not before: what ends with an old installation is looked at by nobody
      this.stage = await this.begin();
      await this.round();
      this.arm(); // what is only new now is read for the first time
      await this.round();
      this.book.arm({ round: this.rounds, ids: [], ends: {} });
      await this.round();
      this.tell();
    }
  }

  private tell(): void {
    const { points, struck } = this;
    this.say(
      `round ${this.rounds}: ${struck.size} of ${points.length} points, ${this.deaths()} ends, ${this.wrong.length} wrong`,
    );
  }

  /** @returns false where there is nothing left to arm */
  private arm(): boolean {
    const ids = this.left();
    this.before = this.struck;
    this.book.arm({ round: this.rounds, ids, ends: ENDS });
    return ids.length > 0;
  }

  private left(): string[] {
    const { struck } = this;
    return this.points.map(({ id }) => id).filter((id) => !struck.has(id));
  }

  private async round(): Promise<void> {
    const { stage } = this;
    if (stage === undefined) throw new Error('no installation');
    const { asking, pool, data, geocoder, hook } = stage;
    const workers = { ends: () => stage.deaths('worker'), end: () => stage.end('worker', 'SIGKILL') };
    const scene: Scene = { asking, pool, data, geocoder, hook, workers, round: this.rounds };
    await data.turn(scene.round);
    const found = await Promise.all(ACTS.map((act) => act(scene).catch((error: Error) => [error.message])));
    const wrong = [...found.flat(), ...(await this.faultsOf(scene).catch((error: Error) => [error.message]))];
    this.rounds++;
    if (wrong.length === 0) return;
    this.wrong.push(...wrong);
    const ended = [...this.struck].filter((id) => !this.before.has(id));
    this.say(`wrong in round ${scene.round}: ${wrong.join('; ')}\n  processes ended at:\n  ${ended.join('\n  ')}`);
  }

  private async faultsOf(scene: Scene): Promise<Wrong[]> {
    const { pool } = scene;
    await atRest(pool);
    const violations = await new ReconcilerRepository(pool).violations();
    const digest = await chartsDigest(pool);
    const kind = scene.round % 2;
    const undisturbed = this.digests.get(kind) ?? digest;
    this.digests.set(kind, undisturbed);
    const wrong = [
      ...(violations === 0 ? [] : [`${violations} batches do not add up`]),
      ...(digest === undisturbed ? [] : [`charts are ${digest} and not ${undisturbed}`]),
      ...(await releaseFaults(scene)),
    ];
    // Erasing what was kept long enough is part of the play.
    await pool.query(`update batch set expires_at = now() where state = any($1)`, [FINAL.slice(0, 3)]);
    return wrong;
  }
}
