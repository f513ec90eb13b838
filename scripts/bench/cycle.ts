import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { sampleItcont } from '@donorlens/fec-sample';
import { count, fact, type Line, peakMemoryMb, reportOf, resetPeakMemory, reportStep } from './measure';
import { ROLES } from './pipeline/through-service';
import { type RunningService, startService } from './service';
import { command as donorlens, CYCLE, importOnce, untilSampleIsImported } from './service-runs';
import { whole } from '../command/options';
import { command } from '../command/report';

const RESIDENT_MB = 400;
const DISK_LOOK_MS = 5_000;

/** Measures the import of a bulk file of a whole cycle, from the file to charts. */
export const cycle = command({
  what: 'a bulk file of a whole cycle through the service: time, disk and memory',
  options: { lines: whole(1_000_000, 1), 'one-kept-in': whole(8, 1) },
  async run({ lines, 'one-kept-in': oneKeptIn }) {
    const service = await reportStep('a service is started', () => startService(process.env));
    try {
      await untilSampleIsImported(service);
      return reportOf(await measured(service, lines, oneKeptIn));
    } finally {
      await service.stop();
    }
  },
});

async function measured(service: RunningService, lines: number, oneKeptIn: number): Promise<Line[]> {
  for (const role of ROLES) resetPeakMemory(service.processes[role]);
  const disk = new DiskPeak(service.home);
  const before = await disk.look();
  const { rows, ms } = await reportStep(`${count(lines)} lines are imported`, () =>
    importOnce(service, lines, cycleFile(lines, oneKeptIn)),
  );
  const start = performance.now();
  await reportStep('all charts are built', () => donorlens(service, 'charts', 'rebuild'));
  const chartsMs = performance.now() - start;
  const after = await disk.look();
  disk.stop();
  const seconds = (time: number): string => `${count(Math.round(time / 1000))} s`;
  const informs = (what: string, value: string): Line => fact(what, value, '', true);
  return [
    informs(`${count(lines)} lines, ${count(rows)} kept: from the file to stored contributions`, seconds(ms)),
    informs('lines a second', count(Math.round((lines / ms) * 1000))),
    informs('kept rows a second', count(Math.round((rows / ms) * 1000))),
    informs('all charts', seconds(chartsMs)),
    informs('disk of donorlens afterwards, beyond an empty database', `${count(after - before)} MB`),
    informs('largest disk of donorlens, log of Postgres included', `${count(disk.peak - before)} MB`),
    ...ROLES.map((role) => {
      const mb = peakMemoryMb(service.processes[role]);
      return fact(`largest resident set of the ${role}`, `${mb} MB`, `< ${RESIDENT_MB} MB`, mb < RESIDENT_MB);
    }),
  ];
}

/** Yields lines. One in `oneKeptIn` names a committee of the cycle; the others are copies with an unknown committee. */
function* cycleFile(lines: number, oneKeptIn: number): Generator<Buffer> {
  const rows = Math.round(lines / oneKeptIn);
  for (const kept of sampleItcont({ rows, cycle: CYCLE, presidentialOnly: true })) {
    yield kept;
    const others = Buffer.from(kept.toString('latin1').replaceAll(/^C\d{8}/gm, 'C99999999'), 'latin1');
    for (let copy = 1; copy < oneKeptIn; copy++) yield others;
  }
}

/** Samples the disk usage of a folder and keeps the peak, MB. */
class DiskPeak {
  peak = 0;
  private readonly timer = setInterval(() => void this.look(), DISK_LOOK_MS);

  constructor(private readonly folder: string) {}

  async look(): Promise<number> {
    const { stdout } = await promisify(execFile)('du', ['-sm', this.folder]).catch(
      (error: { stdout: string }) => error,
    ); // du fails if a file is deleted meanwhile
    const mb = Number.parseInt(stdout, 10);
    this.peak = Math.max(this.peak, mb);
    return mb;
  }

  stop(): void {
    clearInterval(this.timer);
  }
}
