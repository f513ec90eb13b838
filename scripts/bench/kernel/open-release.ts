import { readFileSync } from 'node:fs';
import { openRelease } from '@donorlens/reference-data';

/** Output of a process that reads a release and, with the argument `open`, opens it. */
export interface Opened {
  /** From the first read to the first answer (`open`) or to the last byte (`read`). */
  readonly ms: number;
  readonly bytes: number;
  readonly residentMb: number;
}

const [how, file] = process.argv.slice(2);
const start = performance.now();
const bytes = readFileSync(file);
if (how === 'open') {
  const { ages } = openRelease(bytes).demographics;
  ages.ageAt(ages.nameIndex('Mary'), 17_000);
}
const ms = performance.now() - start;
const residentMb = Math.round(process.memoryUsage.rss() / 1e6);
const opened: Opened = { ms, bytes: bytes.length, residentMb };
process.stdout.write(JSON.stringify(opened));
