import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Of the package that this code is part of, wherever it was built to. */
export const VERSION = versionAbove(__dirname);

function versionAbove(folder: string): string {
  const file = join(folder, 'package.json');
  if (existsSync(file)) return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
  return folder === dirname(folder) ? 'unknown' : versionAbove(dirname(folder));
}
