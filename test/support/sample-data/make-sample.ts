/**
 * Writes the sample of the repository: files in the official formats, generated from the names, codes and models in
 * test/support/sample-data/, whose comments name the sources. No row of a published file is copied. The program writes
 * the same bytes everywhere (no clock, no randomness, no compression).
 *
 *     npm run build && node dist/test/support/sample-data/make-sample.js
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { areaFiles } from './areas';
import { countyListFile, incomeFile, zipCountyFile } from './counties';
import { birthFiles } from './first-names';
import { lifeTableFiles } from './life-tables';
import { storedZip } from './stored-zip';
import { surnameFile } from './surnames';

/** Report year in the names of the life tables; no such edition exists, so that it cannot be taken for a real one. */
const EDITION = 'TR0000';

/** Describes the folder for readers and programs. */
const MARKER = {
  label: 'sample',
  what: 'A small synthetic data set in the official file formats. Not for use on real people: figures come from models.',
  madeBy: 'test/support/sample-data/make-sample.ts',
};

/** Every file of the sample, by its path in the official layout. */
export function sampleFiles(): Map<string, Buffer> {
  const lifeTables = [...lifeTableFiles(EDITION)].map(([name, bytes]): [string, Buffer] => [
    `ssa/lifetables/${name}`,
    bytes,
  ]);
  return new Map<string, Buffer>([
    ['sample.json', Buffer.from(`${JSON.stringify(MARKER, null, 2)}\n`)],
    ['ssa/names.zip', storedZip(birthFiles())],
    ...lifeTables,
    ['census/surnames/2000/names.zip', storedZip(new Map([['app_c.csv', surnameFile(2000)]]))],
    ['census/surnames/2010/names.zip', storedZip(new Map([['Names_2010Census.csv', surnameFile(2010)]]))],
    ['census/saipe/est18all.txt', incomeFile()],
    ['census/geo/national_county.txt', countyListFile()],
    ['census/geo/zcta_county_rel_10.txt', zipCountyFile()],
    ...areaFiles(),
  ]);
}

function write(folder: string): void {
  let total = 0;
  for (const [path, bytes] of sampleFiles()) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), bytes);
    total += bytes.length;
    console.log(`${path} ${bytes.length}`);
  }
  console.log(`${total} bytes in all`);
}

if (require.main === module) write(resolve(process.argv[2] ?? 'libs/reference-data/sample'));
