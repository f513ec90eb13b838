import { mkdirSync, readFileSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ARMED, type Point, SEEN, STRUCK } from '../inside/points';

/** Which points there are, which have ended a process, and which are to. */
export class Book {
  constructor(readonly folder: string) {
    mkdirSync(join(folder, STRUCK), { recursive: true });
    writeFileSync(join(folder, SEEN), '');
    this.arm([]);
  }

  /** Every point that a process has passed, in the order of their first time. */
  seen(): Point[] {
    const lines = readFileSync(join(this.folder, SEEN), 'utf8').split('\n').slice(0, -1);
    return [...new Map(lines.map((line) => JSON.parse(line) as Point).map((point) => [point.id, point])).values()];
  }

  struck(): ReadonlySet<string> {
    const folder = join(this.folder, STRUCK);
    return new Set(readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8')));
  }

  arm(ids: readonly string[]): void {
    const file = join(this.folder, ARMED);
    writeFileSync(`${file}.next`, JSON.stringify(ids));
    renameSync(`${file}.next`, file); // read while it is written
  }
}
