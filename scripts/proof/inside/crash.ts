/**
 * Loaded before a role (node -r): writes down every point that the process passes between two writes, and ends it, as
 * kill -9 does, at those that are armed.
 */
import { createHash } from 'node:crypto';
import { closeSync, openSync, readFileSync, rmSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { isMainThread } from 'node:worker_threads';
import { type Call, type Visitor } from './call';
import { visitPostgres } from './postgres-calls';
import { visitRedis } from './redis-calls';
import { ARMED, type Armed, ENDS, type Point, SEEN, STRUCK } from './points';
import { place } from './role';

const LOOK_MS = 20;

class Crash implements Visitor {
  private readonly seen = new Set<string>();
  private readonly log: number;
  private armed: Armed = { round: 0, ids: [], ends: {} };
  private ids = new Set<string>();
  private lookedAt = -Infinity;
  private changedAt = 0;

  constructor(
    private readonly folder: string,
    private readonly role: string,
  ) {
    this.log = openSync(join(folder, SEEN), 'a');
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

  private pass(moment: Point['moment'], { server, name }: Call): void {
    const id = `${this.role}: ${moment} ${server}: ${name}`;
    if (!this.seen.has(id)) {
      this.seen.add(id);
      writeSync(this.log, `${JSON.stringify({ id, role: this.role, moment, server, name } satisfies Point)}\n`);
    }
    this.look();
    if (this.ids.has(id) && this.mayEnd(id)) process.kill(process.pid, 'SIGKILL');
  }

  /** What is armed may have changed. */
  private look(): void {
    const now = performance.now();
    if (now - this.lookedAt < LOOK_MS) return;
    this.lookedAt = now;
    const file = join(this.folder, ARMED);
    const { mtimeMs } = statSync(file, { throwIfNoEntry: false }) ?? { mtimeMs: 0 };
    if (mtimeMs === this.changedAt) return;
    this.changedAt = mtimeMs;
    this.armed = JSON.parse(readFileSync(file, 'utf8')) as Armed;
    this.ids = new Set(this.armed.ids);
  }

  /** One process ends at a point, once: whoever can write it down, while the role has an end left in this round. */
  private mayEnd(id: string): boolean {
    const { round, ends } = this.armed;
    const slots = Array.from({ length: ends[this.role] }, (_, end) => `${round}-${this.role}-${end}`);
    const slot = slots.map((name) => join(this.folder, ENDS, name)).find((path) => noted(path, id));
    if (slot === undefined) {
      this.ids.clear();
      return false;
    }
    if (noted(join(this.folder, STRUCK, createHash('sha256').update(id).digest('hex')), id)) return true;
    rmSync(slot);
    this.ids.delete(id);
    return false;
  }
}

/** @returns false where it was before */
function noted(path: string, text: string): boolean {
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
  const { folder, role } = place();
  const crash = new Crash(folder, role);
  visitPostgres(crash);
  visitRedis(crash);
}
