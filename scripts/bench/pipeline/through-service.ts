import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BatchTimes, batchOnce } from '../service-runs';
import { type ImportTimes, importOnce, sampleIsIn } from '../service-runs';
import { peakMemoryMb, resetPeakMemory } from '../measure';
import { saying } from '../measure';
import { type RunningService, startService } from '../service';
import { type SyntheticItcont } from '../../../test/support/bench-data/synthetic-itcont';

/** Milliseconds of each round. */
export interface ServiceTimes {
  readonly what: string;
  readonly rows: number;
  readonly baseline: readonly number[];
  readonly stages: readonly { readonly name: string; readonly ms: readonly number[]; readonly isWhole: boolean }[];
  /** Largest, by role. */
  readonly residentMb: Readonly<Record<string, number>>;
}

const ROLES = ['api', 'worker', 'aggregator'];
const WARM_ROWS = 20_000;

/** Batches and imports of a service as `npm start` runs it, each followed by its baseline in the same database. */
export async function throughService(
  synthetic: SyntheticItcont,
  sizes: readonly number[],
  rounds: number,
): Promise<ServiceTimes[]> {
  const folder = mkdtempSync(join(tmpdir(), 'donorlens-bench-'));
  const service = await saying('a service is started', () => startService(process.env));
  try {
    const found: ServiceTimes[] = [];
    for (const rows of sizes) {
      const file = join(folder, `itcont-${rows}`);
      await synthetic.write(file, rows);
      found.push(await batches(service, file, rows, rounds));
      rmSync(file);
    }
    await sampleIsIn(service);
    for (const rows of sizes) found.push(await imports(service, rows, rounds));
    return found;
  } finally {
    await service.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function batches(service: RunningService, file: string, rows: number, rounds: number): Promise<ServiceTimes> {
  const once = (what: string): Promise<BatchTimes> =>
    saying(`${rows} rows, a batch: ${what}`, () => batchOnce(service, file, rows));
  await once('warming up');
  const all: BatchTimes[] = [];
  const residentMb = await withPeaks(service, async () => {
    for (let round = 1; round <= rounds; round++) all.push(await once(`round ${round} of ${rounds}`));
  });
  return {
    what: 'a batch',
    rows,
    residentMb,
    baseline: all.map(({ baseline }) => baseline),
    stages: [
      { name: 'sent until accepted', ms: all.map(({ accepted }) => accepted), isWhole: false },
      { name: 'worker stage', ms: all.map(({ worked }) => worked), isWhole: false },
      { name: 'sent until completed', ms: all.map(({ whole }) => whole), isWhole: true },
    ],
  };
}

async function imports(service: RunningService, rows: number, rounds: number): Promise<ServiceTimes> {
  await importOnce(service, { rows: WARM_ROWS, seed: 1, withBaseline: false });
  const all: ImportTimes[] = [];
  const residentMb = await withPeaks(service, async () => {
    for (let round = 1; round <= rounds; round++)
      all.push(
        await saying(`${rows} rows, an import: round ${round} of ${rounds}`, () =>
          importOnce(service, { rows, seed: rows, withBaseline: true }),
        ),
      );
  });
  return {
    what: 'an import',
    rows: all[0].rows,
    residentMb,
    baseline: all.map(({ baseline }) => baseline ?? NaN),
    stages: [{ name: 'itcont to contributions', ms: all.map(({ contributions }) => contributions), isWhole: true }],
  };
}

async function withPeaks({ processes }: RunningService, work: () => Promise<void>): Promise<Record<string, number>> {
  for (const role of ROLES) resetPeakMemory(processes[role]);
  await work();
  return Object.fromEntries(ROLES.map((role) => [role, peakMemoryMb(processes[role])]));
}
