import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { compileFolder, openRelease } from '@donorlens/reference-data';
import { showCalibration } from './calibration';
import { benchCharts } from './charts';
import { benchGeocoding } from './geocoding';
import { benchHttp } from './http';
import { benchImport, sampleIsIn } from './imports';
import { benchKernel } from './kernel';
import { median, report, residentMb } from './measure';
import { benchPages } from './pages';
import { pipeline } from './pipeline/pipeline';
import { dataFolder } from './people';
import { type Part, runPart } from '../proof/report';
import { benchRefresh } from './refresh';
import { KEY, type RunningService, startService } from './service';

/** Parts whose table stands in docs/performance.md: `npm run bench -- pipeline --rows 1000000 --write`. */
const PUBLISHED: Readonly<Record<string, Part>> = { pipeline };
/** Parts that print what they find, a line each. */
const ALL = ['kernel', 'calibration', 'tables', 'pages', 'http', 'imports', 'charts', 'geocoding'] as const;
const NEED_SERVICE = ['http', 'imports', 'charts'];
/** Rows stored before an increment is measured. */
const CHART_SIZES = [1_000_000, 5_000_000];

function tables(bytes: Uint8Array): void {
  const folder = mkdtempSync(join(tmpdir(), 'donorlens-bench-'));
  const file = join(folder, 'release');
  writeFileSync(file, bytes);
  const runs = Array.from(
    { length: 5 },
    () =>
      JSON.parse(execFileSync(process.execPath, [join(__dirname, 'open-release.js'), file], { encoding: 'utf8' })) as {
        ms: number;
      },
  );
  rmSync(folder, { recursive: true });
  report(
    'reference tables ready after a process starts to read them',
    `${median(runs.map((run) => run.ms)).toFixed(1)} ms`,
    `${(bytes.length / 1e6).toFixed(1)} MB`,
  );
}

async function imports(service: RunningService): Promise<void> {
  await sampleIsIn(service);
  await benchImport(service, 20_000); // warm
  const small = await benchImport(service, 1_000_000);
  await benchCharts(service);
  if (process.env.BENCH_ROWS === undefined) return;
  const rows = Number(process.env.BENCH_ROWS);
  const large = await benchImport(service, rows);
  report(
    `ns per row, ${rows.toLocaleString('en-US')} against 1,000,000`,
    `${large.toFixed(0)} ns`,
    `${(large / small).toFixed(2)} times`,
  );
}

/** Without a name: all there are. @returns exit code, 1 where a ratio is not reached */
async function main(asked: readonly string[]): Promise<number> {
  const [name, ...args] = asked;
  if (name !== undefined && Object.hasOwn(PUBLISHED, name)) return runPart('bench', PUBLISHED, name, args);
  await printed(asked.length > 0 ? asked : ALL);
  let code = 0;
  if (asked.length === 0)
    for (const part of Object.keys(PUBLISHED)) code = Math.max(code, await runPart('bench', PUBLISHED, part, []));
  return code;
}

async function printed(wanted: readonly string[]): Promise<void> {
  process.stdout.write(
    `${cpus().length} x ${cpus()[0].model.trim()}, ${Math.round(totalmem() / 1e9)} GB, Node ${process.version}, ${dataFolder.includes('sample') ? 'sample' : 'official'} data\n\n`,
  );
  if (['kernel', 'calibration', 'tables'].some((part) => wanted.includes(part))) {
    const bytes = await compileFolder(dataFolder);
    if (wanted.includes('kernel')) benchKernel(openRelease(bytes).demographics);
    if (wanted.includes('calibration')) showCalibration(openRelease(bytes).demographics);
    if (wanted.includes('tables')) tables(bytes);
  }
  if (wanted.includes('pages')) benchPages();
  if (wanted.includes('geocoding')) await benchGeocoding();
  if (!wanted.some((part) => NEED_SERVICE.includes(part))) return;
  const service = await startService(process.env);
  try {
    report('donorlens start to ready, reference data compiled', `${(service.readyMs / 1000).toFixed(1)} s`);
    report('resident set of the api when ready', `${residentMb(service.processes.api)} MB`);
    if (wanted.includes('http')) await benchHttp(service.url, KEY);
    if (wanted.includes('imports')) await imports(service);
    if (wanted.includes('charts')) await benchRefresh(service.databaseUrl, CHART_SIZES);
  } finally {
    await service.stop();
  }
}

main(process.argv.slice(2)).then(
  (code) => process.exit(code),
  (error: Error) => {
    process.stderr.write(`${error.stack ?? error.message}\n`);
    process.exit(1);
  },
);
