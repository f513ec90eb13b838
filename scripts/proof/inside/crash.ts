/**
 * Loaded before a role (node -r): writes down every point that the process passes between two writes, and ends it, as
 * kill -9 does, at those that are armed.
 */
import { createHash } from 'node:crypto';
import { closeSync, openSync, readFileSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { isMainThread } from 'node:worker_threads';
import { type Call, type Visitor } from './call';
import { visitPostgres } from './postgres-calls';
import { visitRedis } from './redis-calls';
import { ARMED, type Point, SEEN, STRUCK } from './points';
import { place } from './role';

const LOOK_MS = 20;

class Crash implements Visitor {
  private readonly seen = new Set<string>();
  private readonly log: number;
  private armed = new Set<string>();
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
    if (this.armed.has(id) && this.isFirst(id)) process.kill(process.pid, 'SIGKILL');
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
    this.armed = new Set(JSON.parse(readFileSync(file, 'utf8')) as string[]);
  }

  /** One process ends at a point, once: whoever can write it down. */
  private isFirst(id: string): boolean {
    try {
      const file = openSync(join(this.folder, STRUCK, createHash('sha256').update(id).digest('hex')), 'wx');
      writeSync(file, id);
      closeSync(file);
      return true;
    } catch {
      this.armed.delete(id);
      return false;
    }
  }
}

if (isMainThread) {
  const { folder, role } = place();
  const crash = new Crash(folder, role);
  visitPostgres(crash);
  visitRedis(crash);
}
