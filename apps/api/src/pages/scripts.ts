import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const FOLDER = join(__dirname, 'scripts');

/** Without its ending. A page that asks for one that is not there fails when it is rendered. */
export type ScriptName = string;

interface Script {
  readonly file: string;
  readonly text: string;
}

/** Browser modules as they are, each named by its content so that browsers may keep it for good. */
const SCRIPTS: ReadonlyMap<ScriptName, Script> = new Map(
  readdirSync(FOLDER)
    .filter((file) => file.endsWith('.js'))
    .map((file) => {
      const text = readFileSync(join(FOLDER, file), 'utf8');
      const name = file.slice(0, -'.js'.length);
      return [name, { file: `${name}.${createHash('sha256').update(text).digest('hex').slice(0, 10)}.js`, text }];
    }),
);

export const SCRIPT_FILES: ReadonlyMap<string, string> = new Map(
  [...SCRIPTS.values()].map(({ file, text }) => [file, text]),
);

export function scriptPath(name: ScriptName): string {
  const script = SCRIPTS.get(name);
  if (script === undefined) throw new Error(`there is no script ${name}`);
  return `/assets/${script.file}`;
}
