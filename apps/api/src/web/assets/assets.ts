import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const FOLDER = join(__dirname, 'scripts');

/** File name without the extension. */
export type ScriptName = string;

interface Script {
  readonly file: string;
  readonly text: string;
}

/** Browser modules; a hash of the content in the name allows browsers to cache them forever. */
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
  if (script === undefined) throw new Error(`unknown script ${name}`);
  return `/assets/${script.file}`;
}

const STYLES = join(__dirname, 'styles');

const read = (...path: string[]): string => readFileSync(join(__dirname, ...path), 'utf8');

/** Shared styles, then styles of single pages; a content hash in the name allows browsers to cache it forever. */
export const STYLESHEET = [
  read('donorlens.css'),
  ...readdirSync(STYLES)
    .filter((file) => file.endsWith('.css'))
    .sort()
    .map((file) => read('styles', file)),
].join('\n');
export const STYLESHEET_NAME = `donorlens.${createHash('sha256').update(STYLESHEET).digest('hex').slice(0, 10)}.css`;
export const STYLESHEET_PATH = `/assets/${STYLESHEET_NAME}`;

/** The styles of charts, which SVG files carry inline. */
export const CHART_STYLES = [...STYLESHEET.matchAll(/\/\* chart \*\/([\s\S]*?)\/\* end of chart \*\//g)]
  .map(([, part]) => part.trim())
  .join('\n');
