/**
 * Preloaded in a role (node -r): records every point between two writes that the process passes, and kills the process
 * (SIGKILL) at points where none has crashed.
 */
import { createHash } from 'node:crypto';
import { closeSync, existsSync, openSync, readFileSync, rmSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { isMainThread } from 'node:worker_threads';
import {
  ARMED_FILE,
  type ArmedPoints,
  type Call,
  type CallInterceptor,
  CRASHED_FOLDER,
  CRASHES_FOLDER,
  type CrashPoint,
  processContext,
  SEEN_FILE,
} from './intercepted-call';
import { interceptPostgres } from './postgres-calls';
import { interceptRedis } from './redis-calls';

const REREAD_MS = 20;

class CrashInjector implements CallInterceptor {
  private readonly seen = new Set<string>();
  private readonly log: number;
  private armed: ArmedPoints = { round: 0, known: [], crashes: {} };
  private known = new Set<string>();
  private readonly decided = new Set<string>();
  private readAt = -Infinity;
  private changedAt = 0;

  constructor(
    private readonly folder: string,
    private readonly role: string,
  ) {
    this.log = openSync(join(folder, SEEN_FILE), 'a');
  }

  before(call: Call): void {
    if (call.writes) this.pass('before', call);
  }

  during(call: Call): void {
    this.pass('during', call);
  }

  after(call: Call): undefined {
    if (call.writes) this.pass('after', call);
  }

  private pass(moment: CrashPoint['moment'], { server, name }: Call): void {
    const id = `${this.role}: ${moment} ${server}: ${name}`;
    if (!this.seen.has(id)) {
      this.seen.add(id);
      writeSync(this.log, `${JSON.stringify({ id, role: this.role, moment, server, name } satisfies CrashPoint)}\n`);
    }
    this.reread();
    if (!this.decided.has(id) && this.mayCrash(id)) process.kill(process.pid, 'SIGKILL');
  }

  /** Reads the armed points again if they have changed. */
  private reread(): void {
    const now = performance.now();
    if (now - this.readAt < REREAD_MS) return;
    this.readAt = now;
    const file = join(this.folder, ARMED_FILE);
    const { mtimeMs } = statSync(file, { throwIfNoEntry: false }) ?? { mtimeMs: 0 };
    if (mtimeMs === this.changedAt) return;
    this.changedAt = mtimeMs;
    this.armed = JSON.parse(readFileSync(file, 'utf8')) as ArmedPoints;
    this.known = new Set(this.armed.known);
    this.decided.clear();
  }

  /** True if this process creates both files: one process crashes once at a point, if crashes of the role are left. */
  private mayCrash(id: string): boolean {
    this.decided.add(id);
    const crashed = join(this.folder, CRASHED_FOLDER, createHash('sha256').update(id).digest('hex'));
    if (existsSync(crashed)) return false;
    const { round, crashes } = this.armed;
    const { all, known } = crashes[this.role] ?? { all: 0, known: 0 };
    // known points use the first slots, other points the last ones first
    const slots = Array.from({ length: this.known.has(id) ? known : all }, (_, nth) => `${round}-${this.role}-${nth}`);
    if (!this.known.has(id)) slots.reverse();
    const slot = slots.map((name) => join(this.folder, CRASHES_FOLDER, name)).find((path) => createFile(path, id));
    if (slot === undefined) return false;
    if (createFile(crashed, id)) return true;
    rmSync(slot); // another process has crashed at this point
    return false;
  }
}

/** @returns false if the file exists */
function createFile(path: string, text: string): boolean {
  try {
    const file = openSync(path, 'wx');
    writeSync(file, text);
    closeSync(file);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

if (isMainThread) {
  const { folder, role } = processContext();
  const crash = new CrashInjector(folder, role);
  interceptPostgres(crash);
  interceptRedis(crash);
}
