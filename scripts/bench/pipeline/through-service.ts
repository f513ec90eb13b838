import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BatchTimes, batchOnce, importBaselineMs, importOnce, untilSampleIsImported } from '../service-runs';
import { peakMemoryMb, resetPeakMemory, reportStep } from '../measure';
import { type RunningService, startService } from '../service';
import { type SyntheticItcont } from '../../../test/support/bench-data/synthetic-itcont';

/** Milliseconds of each round. */
export interface ServiceTimes {
  readonly what: string;
  readonly rows: number;
  readonly baseline: readonly number[];
  readonly stages: readonly { readonly name: string; readonly ms: readonly number[]; readonly isWhole: boolean }[];
  /** Peak memory by role. */
  readonly residentMb: Readonly<Record<string, number>>;
}

export const ROLES = ['api', 'worker', 'aggregator'];
const WARM_ROWS = 20_000;

/** Measures batches and imports of a service started like `npm start`, each followed by its baseline. */
export async function throughService(
  synthetic: SyntheticItcont,
  sizes: readonly number[],
  rounds: number,
): Promise<ServiceTimes[]> {
  const folder = mkdtempSync(join(tmpdir(), 'donorlens-bench-'));
  const service = await reportStep('a service is started', () => startService(process.env));
  try {
    const found: ServiceTimes[] = [];
    for (const rows of sizes) {
      const file = join(folder, `itcont-${rows}`);
      await synthetic.write(file, rows);
      found.push(await batches(service, file, rows, rounds));
      rmSync(file);
    }
    await untilSampleIsImported(service);
    for (const rows of sizes) found.push(await imports(service, rows, rounds));
    return found;
  } finally {
    await service.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function batches(service: RunningService, file: string, rows: number, rounds: number): Promise<ServiceTimes> {
  const once = (): Promise<BatchTimes> => batchOnce(service, file, rows);
  await once(); // warm-up
  const { all, residentMb } = await inRounds(service, rounds, `${rows} rows, a batch`, once);
  return {
    ...{ what: 'a batch', rows, residentMb },
    baseline: all.map(({ baseline }) => baseline),
    stages: [
      { name: 'sent until accepted', ms: all.map(({ accepted }) => accepted), isWhole: false },
      { name: 'worker stage', ms: all.map(({ worked }) => worked), isWhole: false },
      { name: 'sent until completed', ms: all.map(({ whole }) => whole), isWhole: true },
    ],
  };
}

async function imports(service: RunningService, rows: number, rounds: number): Promise<ServiceTimes> {
  await importOnce(service, WARM_ROWS);
  const once = async () => ({
    ...(await importOnce(service, rows)),
    baseline: await importBaselineMs(service),
  });
  const { all, residentMb } = await inRounds(service, rounds, `${rows} rows, an import`, once);
  return {
    ...{ what: 'an import', rows: all[0].rows, residentMb },
    baseline: all.map(({ baseline }) => baseline),
    stages: [{ name: 'itcont to contributions', ms: all.map(({ ms }) => ms), isWhole: true }],
  };
}

/** @returns the result of each round, and the peak memory of each role */
async function inRounds<T>({ processes }: RunningService, rounds: number, what: string, once: () => Promise<T>) {
  for (const role of ROLES) resetPeakMemory(processes[role]);
  const all: T[] = [];
  for (let round = 1; round <= rounds; round++)
    all.push(await reportStep(`${what}: round ${round} of ${rounds}`, once));
  const residentMb = Object.fromEntries(ROLES.map((role) => [role, peakMemoryMb(processes[role])]));
  return { all, residentMb };
}
