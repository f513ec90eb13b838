/**
 * Loaded before a role (node -r): of so many calls to Postgres and Redis one is done, and whoever made it is told that it
 * failed; in every second case its connection is closed, too. Begins once the file that says so is there, and writes
 * down how many calls it has spoilt.
 */
import { existsSync, readFileSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isMainThread } from 'node:worker_threads';
import { seeded } from '../../seeded';
import { type Call, type Visitor } from './call';
import { visitPostgres } from './postgres-calls';
import { visitRedis } from './redis-calls';
import { FAULTS, type FaultPlan, type Spoilt, spoiltBy } from './fault-plan';
import { place } from './role';

const LOOK_MS = 250;

class Faulty implements Visitor {
  private plan: FaultPlan | undefined;
  private random = seeded(0);
  private readonly counts: Spoilt = { calls: 0, plain: 0, connection: 0 };

  constructor(
    private readonly folder: string,
    private readonly file: string,
    private readonly salt: number,
  ) {
    setInterval(() => this.look(), LOOK_MS).unref();
  }

  before(): void {
    // what is wrong is the answer
  }

  during(): void {
    // see before()
  }

  after(call: Call): Error | undefined {
    if (this.plan === undefined) return undefined;
    this.counts.calls++;
    if (this.random() >= this.plan.share) return undefined;
    if (this.random() < 0.5) {
      this.counts.plain++;
      return new Error(`made up: this ${call.server} call was done`);
    }
    this.counts.connection++;
    call.cut();
    return Object.assign(new Error('Connection terminated unexpectedly'), { code: 'ECONNRESET' });
  }

  private look(): void {
    const file = join(this.folder, FAULTS);
    const isOn = existsSync(file);
    if (isOn && this.plan === undefined) {
      this.plan = JSON.parse(readFileSync(file, 'utf8')) as FaultPlan;
      this.random = seeded(this.plan.seed + this.salt);
    } else if (!isOn) this.plan = undefined;
    const next = join(this.folder, `next-${process.pid}`);
    writeFileSync(next, JSON.stringify(this.counts));
    renameSync(next, this.file); // read while it is written
  }
}

if (isMainThread) {
  const { folder, role } = place();
  const before = readdirSync(folder).filter((name) => name.startsWith(spoiltBy(role))).length;
  const salt = 1_000 * before + role.length; // roles are told apart by their letters: 3, 6 and 10
  const faulty = new Faulty(folder, join(folder, `${spoiltBy(role)}${process.pid}.json`), salt);
  visitPostgres(faulty);
  visitRedis(faulty);
}
