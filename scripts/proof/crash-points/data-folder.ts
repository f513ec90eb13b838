import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { cp, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { ZipFile } from 'yazl';
import { sampleItcont, writeSampleFiles } from '@donorlens/fec-sample';
import { SAMPLE } from '../installation';

const CYCLE = 2024;
const ROWS = 600;
/** Few enough that an import takes their absence for a correction. */
const LEFT_OUT = 30;
const INCOME = 'census/saipe/est18all.txt';

/** Files laid out by publisher, small and made up, of which each round has its own. */
export class DataFolder {
  private constructor(
    readonly path: string,
    private readonly lines: readonly string[],
    private readonly income: string,
  ) {}

  static async make(path: string): Promise<DataFolder> {
    await cp(SAMPLE, path, { recursive: true });
    await writeSampleFiles(path, { rows: ROWS, cycles: [CYCLE - 4, CYCLE] });
    const text = Buffer.concat([...sampleItcont({ rows: ROWS, cycle: CYCLE })]).toString('latin1');
    const folder = new DataFolder(path, text.split('\n').slice(0, -1), await readFile(join(path, INCOME), 'latin1'));
    await folder.turn(0);
    return folder;
  }

  /** Contributions of every second round are the same: some rows of the others are missing, and others there. */
  async turn(round: number): Promise<void> {
    const from = round % 2 === 0 ? 0 : ROWS - LEFT_OUT;
    const kept = this.lines.filter((_, at) => at < from || at >= from + LEFT_OUT);
    const zip = new ZipFile();
    zip.addReadStream(Readable.from([Buffer.from(`${kept.join('\n')}\n`, 'latin1')]), 'itcont.txt');
    zip.end();
    const file = join(this.path, `fec/${CYCLE}/indiv${CYCLE % 100}.zip`);
    await pipeline(zip.outputStream, createWriteStream(`${file}.next`));
    await rename(`${file}.next`, file);
    await writeFile(join(this.path, `${INCOME}.next`), this.incomeOf(round), 'latin1');
    await rename(join(this.path, `${INCOME}.next`), join(this.path, INCOME));
  }

  /** By which a release is known to be this round's. */
  checksum(round: number): string {
    return createHash('sha256')
      .update(Buffer.from(this.incomeOf(round), 'latin1'))
      .digest('hex');
  }

  /** The median of a county in which nobody lives here: releases differ, answers do not. */
  private incomeOf(round: number): string {
    return this.income.replace('  66600 ', `  ${66_600 + round} `);
  }
}
