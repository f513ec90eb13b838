import { createWriteStream } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { ZipFile } from 'yazl';
import { candidateLines, committeeLines, linkageLines } from './sample-committees';
import { sampleFilings } from './sample-filing';
import { sampleItcont } from './sample-itcont';

export interface SampleOptions {
  /** Lines of contributions, over both cycles. */
  readonly rows?: number;
  readonly seed?: number;
  readonly cycles?: readonly [earlier: number, later: number];
}

/** Content of the marker file, for people and programs. */
const MARKER = {
  label: 'sample',
  what: 'A synthetic campaign in the official file formats: candidates, committees, donors and gifts that do not exist.',
  madeBy: 'donorlens',
};
/** The same bytes at every writing. */
const ZIP_ENTRY = { mtime: new Date(2024, 0, 1), forceDosTimestamp: true } as const;
const EARLIER_SHARE = 0.4;

/**
 * Files of a synthetic campaign, written as the FEC writes its own: `fec/{cycle}/cn{yy}.zip`, `cm`, `ccl`, `indiv` for
 * two cycles, and in `fec/efiling/` a report and its amendment. The same options give the same bytes.
 */
export async function writeSampleFiles(folder: string, options: SampleOptions = {}): Promise<void> {
  const { rows = 20_000, seed = 1, cycles = [2020, 2024] } = options;
  const [earlier, later] = cycles;
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'sample.json'), `${JSON.stringify(MARKER, null, 2)}\n`);
  const earlierRows = Math.floor(rows * EARLIER_SHARE);
  await writeCycle(folder, earlier, false, sampleItcont({ rows: earlierRows, seed, cycle: earlier }));
  await writeCycle(folder, later, true, sampleItcont({ rows: rows - earlierRows, seed, cycle: later }));
  await mkdir(join(folder, 'fec/efiling'), { recursive: true });
  for (const { fileNumber, text } of sampleFilings(later, seed))
    await writeFile(join(folder, `fec/efiling/${fileNumber}.fec`), text, 'latin1');
}

async function writeCycle(folder: string, cycle: number, isLater: boolean, itcont: Iterable<Buffer>): Promise<void> {
  const path = join(folder, 'fec', String(cycle));
  const year = String(cycle).slice(2);
  await mkdir(path, { recursive: true });
  await writeZip(join(path, `cn${year}.zip`), 'cn.txt', [linesOf(candidateLines(cycle))]);
  await writeZip(join(path, `cm${year}.zip`), 'cm.txt', [linesOf(committeeLines())]);
  await writeZip(join(path, `ccl${year}.zip`), 'ccl.txt', [linesOf(linkageLines(cycle, isLater))]);
  await writeZip(join(path, `indiv${year}.zip`), 'itcont.txt', itcont);
}

const linesOf = (lines: readonly string[]): Buffer => Buffer.from(lines.map((line) => `${line}\n`).join(''), 'latin1');

async function writeZip(path: string, member: string, pieces: Iterable<Buffer>): Promise<void> {
  const zip = new ZipFile();
  zip.addReadStream(Readable.from(pieces), member, ZIP_ENTRY);
  zip.end();
  await pipeline(zip.outputStream, createWriteStream(path));
}
