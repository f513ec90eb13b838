import { openRelease } from '@donorlens/reference-data';
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ageLines } from './ages';
import { type Opened } from './open-release';
import { surnameLines } from './surnames';
import { fact, alternate, line, type Line, median, ratios, reportOf, reportStep } from '../measure';
import { whole } from '../../command/options';
import { command } from '../../command/report';
import { Installation } from '../../../test/support/installation';
import { compiledRelease } from '../../../test/support/bench-data/donors';

/** Measures in-memory lookups of one process. */
export const kernel = command({
  what: 'look-ups in memory',
  options: { rounds: whole(9, 1), surnames: whole(1_000_000, 1) },
  async run({ rounds, surnames: count }) {
    const bytes = await compiledRelease();
    const release = openRelease(bytes);
    const ages = await reportStep('the baseline of age and gender is worked out', () => ageLines(release, rounds));
    const surnames = await surnameLines(release, count, rounds);
    const fresh = await freshProcessLines(bytes, rounds);
    Installation.versions.add(`data ${release.id}`);
    return reportOf(
      [...ages, ...surnames, ...fresh],
      'A ratio is that of two times of one round, ours by the other’s: 1 is as fast as the baseline, 0.01 of the direct sum a hundred times as fast as it. Every answer of every round is compared; each round asks with strings of its own.',
    );
  },
});

const run = promisify(execFile);
const READY_MS = 60;
const RESIDENT_MB = 400;

/** Compares two times in a new process: reading a release file, and reading it until the first answer. */
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
    await opened(); // puts the file into the page cache for both variants
    const times = await alternate(rounds, { read, opened }, 'a fresh process');
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
    line({ what: `${label}: its bytes read from the disk, the baseline`, values: times.read, shown }),
    line({
      what: `${label}: read, checked, tables ready and a first answer, against the baseline`,
      values: times.opened,
      shown,
      against: ratios(times.opened, times.read),
      target: [`≤ ${READY_MS} ms`, median(times.opened) <= READY_MS],
    }),
    fact(
      `${label}: largest resident set with the tables ready`,
      `${resident} MB`,
      `< ${RESIDENT_MB} MB`,
      resident < RESIDENT_MB,
    ),
  ];
}
