/**
 * Preloaded in a role (node -r): a share of the calls to Postgres and Redis succeeds but is reported to the caller as
 * failed; half of them also close the connection. Active while the plan file exists; writes the counts of these calls.
 */
import { existsSync, readFileSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isMainThread } from 'node:worker_threads';
import { seeded } from '../seeded';
import {
  type Call,
  type CallInterceptor,
  FAULT_COUNTS,
  FAULT_PLAN,
  type FaultCounts,
  type FaultPlan,
  processContext,
} from './intercepted-call';
import { interceptPostgres } from './postgres-calls';
import { interceptRedis } from './redis-calls';

const REREAD_MS = 250;

class FaultyCalls implements CallInterceptor {
  private plan: FaultPlan | undefined;
  private random = seeded(0);
  private readonly counts: FaultCounts = { calls: 0, failed: 0, disconnected: 0 };

  constructor(
    private readonly folder: string,
    private readonly file: string,
    private readonly salt: number,
  ) {
    setInterval(() => this.update(), REREAD_MS).unref();
  }

  before(): void {
    // only results are replaced
  }

  during(): void {
    // see before()
  }

  after(call: Call): Error | undefined {
    if (this.plan === undefined) return undefined;
    this.counts.calls++;
    if (this.random() >= this.plan.share) return undefined;
    if (this.random() < 0.5) {
      this.counts.failed++;
      return new Error(`injected fault: this ${call.server} call was done`);
    }
    this.counts.disconnected++;
    call.cut();
    return Object.assign(new Error('Connection terminated unexpectedly'), { code: 'ECONNRESET' });
  }

  private update(): void {
    const file = join(this.folder, FAULT_PLAN);
    const isOn = existsSync(file);
    if (isOn && this.plan === undefined) {
      this.plan = JSON.parse(readFileSync(file, 'utf8')) as FaultPlan;
      this.random = seeded(this.plan.seed + this.salt);
    } else if (!isOn) this.plan = undefined;
    const next = join(this.folder, `next-${process.pid}`);
    writeFileSync(next, JSON.stringify(this.counts));
    renameSync(next, this.file); // the reader sees the old or the new file
  }
}

if (isMainThread) {
  const { folder, role } = processContext();
  const prefix = `${FAULT_COUNTS}${role}-`;
  const before = readdirSync(folder).filter((name) => name.startsWith(prefix)).length;
  const salt = 1_000 * before + role.length; // the names of the roles have 3, 6 and 10 letters
  const faulty = new FaultyCalls(folder, join(folder, `${prefix}${process.pid}.json`), salt);
  interceptPostgres(faulty);
  interceptRedis(faulty);
}
