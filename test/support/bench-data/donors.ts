import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { ROOT } from '../installation';
import { type CivilDay, parseFecDay, yearOf } from '@donorlens/primitives';
import { type Release, compileFolder } from '@donorlens/reference-data';
import { pick, seeded } from '../seeded';

const OFFICIAL = resolve(ROOT, '../shared/data');

/** The official files if they are beside the project, otherwise the sample of the repository. */
export const dataFolder = existsSync(join(OFFICIAL, 'ssa/names.zip'))
  ? OFFICIAL
  : join(ROOT, 'libs/reference-data/sample');

/** Compiles a release of this folder, which takes half a minute. Progress is written to stderr. */
export const compiledRelease = (): Promise<Uint8Array<ArrayBuffer>> =>
  compileFolder(dataFolder, { onProgress: (step) => void process.stderr.write(`reference data: ${step}\n`) });

/** A donor in a file of contributions. */
interface FiledDonor {
  readonly surname: string;
  readonly name: string;
  readonly day: CivilDay;
}

/** Donors of the file of contributions; none if the file does not exist. */
function filedDonors(): FiledDonor[] {
  const file = join(OFFICIAL, 'fec/itcont/itcont-sample-2015-2017.txt');
  if (!existsSync(file)) return [];
  return readFileSync(file, 'latin1')
    .split('\n')
    .map((line) => line.split('|'))
    .filter((fields) => fields[6] === 'IND' && !Number.isNaN(parseFecDay(fields[13] ?? '')))
    .map((fields) => {
      const [surname, given = ''] = fields[7].split(',');
      return { surname: surname.trim(), name: given.trim().split(' ')[0], day: parseFecDay(fields[13]) };
    });
}

const earlier = (day: CivilDay, random: () => number): CivilDay => day - Math.floor(random() * 365 * 12);

/** Names and dates distributed like those of donors, from a file of contributions if it exists. Seeded. */
export function donorWeighted(n: number): { names: string[]; days: CivilDay[] } {
  const filed = filedDonors().filter(({ name }) => name.length > 1);
  const seen =
    filed.length > 0
      ? filed
      : ['Mary', 'James', 'Linda', 'Robert', 'Ashley', 'Ethan'].map((name, i) => ({ name, day: 16_000 + 31 * i }));
  const random = seeded(42);
  const names: string[] = [];
  const days: CivilDay[] = [];
  for (let i = 0; i < n; i++) {
    const donor = seen[Math.floor(random() * seen.length)];
    names.push(donor.name);
    days.push(earlier(donor.day, random));
  }
  return { names, days };
}

/** Forms in which surnames are filed: 4 of 23 differ from the plain surname. */
const SPELLINGS = [...Array<string>(19).fill('*'), '* JR', 'VAN *', "O'*", '*-SMITH'];

/** Surnames as filed and years of gifts: from the file of contributions, otherwise by their frequency in the Census. */
export function filedSurnames(n: number, { tables }: Release): { names: string[]; years: number[] } {
  const seen = filedDonors().filter(({ surname }) => surname.length > 1);
  const random = seeded(43);
  const { names: census } = tables.surnames2010;
  const drawn = (): FiledDonor =>
    seen.length > 0
      ? pick(random, seen)
      : {
          // The files list the most common surnames first; the frequency of the n-th is proportional to 1/n.
          surname: pick(random, SPELLINGS).replace('*', census.keyAt(Math.floor(census.size ** random()) - 1)),
          name: '',
          day: 16_000,
        };
  const donors = Array.from({ length: n }, drawn);
  return { names: donors.map(({ surname }) => surname), years: donors.map(({ day }) => yearOf(earlier(day, random))) };
}
