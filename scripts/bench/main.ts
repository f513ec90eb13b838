import { cpus, totalmem } from 'node:os';
import { openRelease } from '@donorlens/reference-data';
import { type Part, runPart } from '../proof/report';
import { showCalibration } from './calibration';
import { charts } from './charts/charts';
import { benchGeocoding } from './geocoding';
import { http } from './http/http';
import { kernel } from './kernel/kernel';
import { benchPages } from './pages';
import { compiledRelease, dataFolder } from './people';
import { pipeline, service } from './pipeline/pipeline';
import { saying } from './progress';

/** Parts whose table stands in docs/performance.md: `npm run bench -- pipeline --rows 1000000 --write`. */
const PUBLISHED: Readonly<Record<string, Part>> = { kernel, http, pipeline, service, charts };
/** Parts that print what they find, a line each. */
const PRINTED: Readonly<Record<string, () => void | Promise<void>>> = {
  calibration: async () => showCalibration(openRelease(await compiledRelease()).demographics),
  pages: benchPages,
  geocoding: benchGeocoding,
};

/** Without a name: all there are. @returns exit code, 1 where a ratio is not reached, 2 for a name that is none */
async function main(asked: readonly string[]): Promise<number> {
  const [name, ...args] = asked;
  if (name !== undefined && Object.hasOwn(PUBLISHED, name)) return runPart('bench', PUBLISHED, name, args);
  const unknown = asked.find((part) => !Object.hasOwn(PRINTED, part));
  if (unknown !== undefined) {
    const names = [...Object.keys(PRINTED), ...Object.keys(PUBLISHED)];
    process.stderr.write(`no part ${unknown}: ${names.join(', ')}\n`);
    return 2;
  }
  await printed(asked.length > 0 ? asked : Object.keys(PRINTED));
  let code = 0;
  if (asked.length === 0)
    for (const part of Object.keys(PUBLISHED)) code = Math.max(code, await runPart('bench', PUBLISHED, part, []));
  return code;
}

async function printed(parts: readonly string[]): Promise<void> {
  process.stdout.write(
    `${cpus().length} x ${cpus()[0].model.trim()}, ${Math.round(totalmem() / 1e9)} GB, Node ${process.version}, ${dataFolder.includes('sample') ? 'sample' : 'official'} data\n\n`,
  );
  for (const part of parts) await saying(part, PRINTED[part]);
}

main(process.argv.slice(2)).then(
  (code) => process.exit(code),
  (error: Error) => {
    process.stderr.write(`${error.stack ?? error.message}\n`);
    process.exit(1);
  },
);
