import { mkdirSync, readFileSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ARMED, type Armed, ENDS, type Point, SEEN, STRUCK } from '../inside/points';

export interface SeenPoint extends Point {
  /** Processes that came by there, of all roles' starts. */
  readonly processes: number;
}

/** Which points there are, which have ended a process, and which are to. */
export class Book {
  constructor(readonly folder: string) {
    for (const one of [STRUCK, ENDS]) mkdirSync(join(folder, one), { recursive: true });
    writeFileSync(join(folder, SEEN), '');
    this.arm({ round: 0, ids: [], ends: {} });
  }

  /** Every point that a process has passed, in the order of their first time. */
  seen(): SeenPoint[] {
    const seen = new Map<string, SeenPoint>();
    for (const line of readFileSync(join(this.folder, SEEN), 'utf8').split('\n').slice(0, -1)) {
      const point = JSON.parse(line) as Point;
      seen.set(point.id, { ...point, processes: (seen.get(point.id)?.processes ?? 0) + 1 });
    }
    return [...seen.values()];
  }

  struck(): ReadonlySet<string> {
    const folder = join(this.folder, STRUCK);
    return new Set(readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8')));
  }

  arm(armed: Armed): void {
    const file = join(this.folder, ARMED);
    writeFileSync(`${file}.next`, JSON.stringify(armed));
    renameSync(`${file}.next`, file); // read while it is written
  }
}
