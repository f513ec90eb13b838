import { cpSync, existsSync, mkdirSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Instruction, type Stage, run, stagesOf, textOf } from './deployment';
import { ROOT } from '../service/service';

/** The folder that the last stage creates outside its own folder; the test replaces it with a local one. */
const HOME = '/var/lib/donorlens';

/**
 * Builds the Dockerfile without a container engine: a folder for each stage, COPY of files that .dockerignore allows,
 * RUN in the shell. This machine replaces the base images. Packages are links to those of this clone, which `npm ci`
 * has installed; REBUILD_IMAGE=1 installs them as the Dockerfile says.
 * @returns the folder of the last stage
 */
export async function buildImage(folder: string, home: string): Promise<string> {
  const stages = stagesOf(textOf('Dockerfile')).filter(({ name, steps }) => name !== 'image' || steps.length > 1);
  for (const stage of stages) await buildStage(stage, folder, home);
  return join(folder, stages[stages.length - 1].name);
}

async function buildStage(stage: Stage, folder: string, home: string): Promise<void> {
  const here = join(folder, stage.name);
  mkdirSync(here, { recursive: true });
  for (const step of stage.steps) {
    if (step.word === 'COPY') copy(step, folder, here);
    if (step.word === 'RUN') await runStep(step.rest, here, home);
  }
}

function copy({ rest }: Instruction, folder: string, here: string): void {
  const words = rest.split(/\s+/);
  const from = words[0].startsWith('--from=') ? words.shift()?.slice('--from='.length) : undefined;
  const to = words.pop() ?? '.';
  const ignored = textOf('.dockerignore').split('\n');
  const endings = ignored.filter((line) => line.startsWith('**/*')).map((line) => line.slice('**/*'.length));
  for (const source of words) {
    if (from === undefined && !ignored.includes(`!${source}`)) throw new Error(`.dockerignore keeps ${source} out`);
    const path = from === undefined ? join(ROOT, source) : join(folder, from, source.replace(/^\/app\//, ''));
    const target = /^\.\/?$/.test(to) ? join(here, source) : join(here, to);
    mkdirSync(dirname(target), { recursive: true });
    cpSync(path, target, {
      recursive: true,
      filter: (file) => from !== undefined || !endings.some((end) => file.endsWith(end)),
    });
  }
}

async function runStep(command: string, here: string, home: string): Promise<void> {
  if (command.startsWith('npm ci') && process.env.REBUILD_IMAGE !== '1')
    return linkPackages(here, command.includes('--omit=dev'));
  const line = command.replaceAll(HOME, home).replaceAll(' node ', ` ${process.getuid?.() ?? 0} `);
  const env = { ...process.env, NODE_ENV: '', npm_config_prefer_offline: 'true', npm_config_loglevel: 'error' };
  await run('sh', ['-c', line], { cwd: here, env });
  if (command.startsWith('install') && !existsSync(home)) throw new Error(`${command} made no ${HOME}`);
}

/** Links each package and not the whole folder, because npm can empty the folder and must not empty the clone's. */
function linkPackages(here: string, onlyProduction: boolean): void {
  const { packages } = JSON.parse(textOf('package-lock.json')) as { packages: Record<string, LockedPackage> };
  for (const [path, { dev, optional, devOptional, link }] of Object.entries(packages)) {
    const isTopLevel = path.lastIndexOf('node_modules/') === 0 && !link && existsSync(join(ROOT, path));
    if (!isTopLevel || (onlyProduction && (dev || optional || devOptional))) continue;
    mkdirSync(dirname(join(here, path)), { recursive: true });
    symlinkSync(join(ROOT, path), join(here, path));
  }
  cpSync(join(ROOT, 'node_modules/.package-lock.json'), join(here, 'node_modules/.package-lock.json')); // a newer file
}

type LockedPackage = Partial<Record<'dev' | 'optional' | 'devOptional' | 'link', boolean>>;
