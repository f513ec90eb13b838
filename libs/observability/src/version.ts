import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Version of the package that contains this code. */
export const VERSION = versionAbove(__dirname);

function versionAbove(folder: string): string {
  const file = join(folder, 'package.json');
  if (existsSync(file)) return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
  return folder === dirname(folder) ? 'unknown' : versionAbove(dirname(folder));
}
