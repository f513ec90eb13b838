import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type CivilDay, parseFecDay } from '@donorlens/primitives';
import { seeded } from '../seeded';

const ROOT = resolve(__dirname, '../../..');
const OFFICIAL = resolve(ROOT, '../shared/data');

/** The official files where they lie beside the project, else the shipped sample. */
export const dataFolder = existsSync(join(OFFICIAL, 'ssa/names.zip'))
  ? OFFICIAL
  : join(ROOT, 'libs/reference-data/sample');

/** Names and dates as donors have them: drawn from a file of contributions where there is one, else made up. Seeded. */
export function donorWeighted(n: number): { names: string[]; days: CivilDay[] } {
  const file = join(OFFICIAL, 'fec/itcont/itcont-sample-2015-2017.txt');
  const seen = existsSync(file)
    ? readFileSync(file, 'latin1')
        .split('\n')
        .map((line) => line.split('|'))
        .filter((fields) => fields[6] === 'IND' && !Number.isNaN(parseFecDay(fields[13] ?? '')))
        .map((fields) => ({ name: (fields[7].split(',')[1] ?? '').trim().split(' ')[0], day: parseFecDay(fields[13]) }))
        .filter((donor) => donor.name.length > 1)
    : ['Mary', 'James', 'Linda', 'Robert', 'Ashley', 'Ethan'].map((name, i) => ({ name, day: 16_000 + 31 * i }));
  const random = seeded(42);
  const names: string[] = [];
  const days: CivilDay[] = [];
  for (let i = 0; i < n; i++) {
    const donor = seen[Math.floor(random() * seen.length)];
    names.push(donor.name);
    days.push(donor.day - Math.floor(random() * 365 * 12));
  }
  return { names, days };
}
