import { cpSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { unzip } from '@donorlens/downloads';
import { SAMPLE } from '../installation';
import { zipped } from './zipped';

const NAMES = 'ssa/names.zip';
const YEARS = {
  wanted: /^yob\d{4}\.txt$/,
  tolerated: /^$/,
  maxMembers: 256,
  maxMemberBytes: 1 << 20,
  maxTotalBytes: 64 << 20,
};

/**
 * A folder of reference data of which one file is exchanged at once, as a publisher's would be: in the n-th of its
 * editions everybody was born so many years later, so that the age of every name differs from that in all others.
 */
export class ChangingFolder {
  private constructor(
    readonly path: string,
    private readonly editions: readonly Buffer[],
  ) {}

  /** With its first edition. */
  static async at(path: string, editions: number, yearsApart = 2): Promise<ChangingFolder> {
    cpSync(SAMPLE, path, { recursive: true });
    const births = await unzip(NAMES, readFileSync(join(SAMPLE, NAMES)), YEARS);
    const zips = Array.from({ length: editions }, (_, nth) => shifted(births, nth * yearsApart));
    const folder = new ChangingFolder(path, await Promise.all(zips));
    folder.show(0);
    return folder;
  }

  show(nth: number): void {
    const file = join(this.path, NAMES);
    writeFileSync(`${file}.next`, this.editions[nth % this.editions.length]);
    renameSync(`${file}.next`, file);
  }
}

/** Years before there were any have those of the first. */
function shifted(births: ReadonlyMap<string, Buffer>, years: number): Promise<Buffer> {
  const names = [...births.keys()].sort();
  return zipped(
    new Map(names.map((name, at) => [name, births.get(names[Math.max(0, at - years)]) ?? Buffer.alloc(0)])),
  );
}
