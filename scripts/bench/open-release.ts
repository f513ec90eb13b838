import { readFileSync } from 'node:fs';
import { openRelease } from '@donorlens/reference-data';

// Process of its own: prints how long the tables take from the first read of the file to the first answer.
const start = performance.now();
const release = openRelease(readFileSync(process.argv[2]));
const { ages } = release.demographics;
const answer = ages.ageAt(ages.nameIndex('Mary'), 17_000);
process.stdout.write(JSON.stringify({ ms: performance.now() - start, answer }));
