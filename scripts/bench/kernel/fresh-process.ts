import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Line, fact, line } from '../lines';
import { inTurns, median, ratios } from '../measure';
import { type Opened } from './open-release';

const run = promisify(execFile);
const READY_MS = 60;
const RESIDENT_MB = 400;

/** From the first read of a release's file to the first answer, in a process that has just started; against the read alone. */
export async function freshProcessLines(release: Uint8Array, rounds: number): Promise<Line[]> {
  const folder = mkdtempSync(join(tmpdir(), 'donorlens-bench-'));
  const file = join(folder, 'release');
  writeFileSync(file, release);
  const started = async (how: 'open' | 'read'): Promise<Opened> => {
    const { stdout } = await run(process.execPath, [join(__dirname, 'open-release.js'), how, file]);
    return JSON.parse(stdout) as Opened;
  };
  const residents: number[] = [];
  const opened = async (): Promise<number> => {
    const { ms, bytes, residentMb } = await started('open');
    if (bytes !== release.length) throw new Error(`${bytes} of ${release.length} bytes were read`);
    residents.push(residentMb);
    return ms;
  };
  const read = async (): Promise<number> => (await started('read')).ms;
  try {
    await opened(); // the file is in the page cache from here on, for both
    const times = await inTurns(rounds, { read, opened }, 'a fresh process');
    return lines(release.length, times, residents);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function lines(
  bytes: number,
  times: Readonly<Record<'read' | 'opened', readonly number[]>>,
  residents: readonly number[],
): Line[] {
  const label = `a fresh process, a release of ${(bytes / 1e6).toFixed(1)} MB`;
  const shown = (ms: number): string => `${ms.toFixed(1)} ms`;
  const resident = Math.max(...residents);
  return [
    line({ what: `${label}: its bytes read from the disk, the floor`, values: times.read, shown }),
    line({
      what: `${label}: read, checked, tables ready and a first answer, against the floor`,
      values: times.opened,
      shown,
      against: ratios(times.opened, times.read),
      reach: [`≤ ${READY_MS} ms`, median(times.opened) <= READY_MS],
    }),
    fact(
      `${label}: largest resident set with the tables ready`,
      `${resident} MB`,
      `< ${RESIDENT_MB} MB`,
      resident < RESIDENT_MB,
    ),
  ];
}
