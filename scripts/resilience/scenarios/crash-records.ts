import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  ARMED_FILE,
  type ArmedPoints,
  CRASHED_FOLDER,
  CRASHES_FOLDER,
  type CrashPoint,
  SEEN_FILE,
} from '../../../test/support/fault-injection/intercepted-call';

export interface SeenPoint extends CrashPoint {
  /** Number of processes that passed this point. */
  readonly processes: number;
}

/** The folder in which processes report crash points and read the points at which they must crash. */
export class CrashRecords {
  constructor(private readonly folder: string) {
    for (const one of [CRASHED_FOLDER, CRASHES_FOLDER]) mkdirSync(join(folder, one), { recursive: true });
    writeFileSync(join(folder, SEEN_FILE), '');
    this.arm({ round: 0, known: [], crashes: {} });
  }

  /** Every point that a process has passed, in the order of first appearance. */
  seen(): SeenPoint[] {
    const seen = new Map<string, SeenPoint>();
    for (const line of readFileSync(join(this.folder, SEEN_FILE), 'utf8').split('\n').slice(0, -1)) {
      const point = JSON.parse(line) as CrashPoint;
      seen.set(point.id, { ...point, processes: (seen.get(point.id)?.processes ?? 0) + 1 });
    }
    return [...seen.values()];
  }

  crashed(): ReadonlySet<string> {
    const folder = join(this.folder, CRASHED_FOLDER);
    return new Set(readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8')));
  }

  arm(armed: ArmedPoints): void {
    const file = join(this.folder, ARMED_FILE);
    writeFileSync(`${file}.next`, JSON.stringify(armed));
    renameSync(`${file}.next`, file); // readers see the old or the new file
  }
}
