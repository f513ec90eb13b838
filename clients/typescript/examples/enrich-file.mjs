/** Enriches a file: DONORLENS_URL=… DONORLENS_KEY=… node examples/enrich-file.mjs contributions.csv > enriched.csv */
import { createReadStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createDonorlens, DonorlensProblem, DonorlensUnreachable } from '@donorlens/client';

const [, , path] = process.argv;
if (path === undefined) {
  console.error('usage: enrich-file.mjs FILE.csv > enriched.csv');
  process.exit(2);
}

const donorlens = createDonorlens({
  baseUrl: process.env.DONORLENS_URL ?? 'http://127.0.0.1:3000',
  key: process.env.DONORLENS_KEY ?? '',
});

try {
  const [thomas] = await donorlens.ageGender([{ name: 'Thomas', date: '2017-07-01' }]);
  console.error(`Thomas: ${thomas.age}, ${thomas.gender}`);

  const file = Readable.toWeb(createReadStream(path));
  const { id } = await donorlens.submitBatch(file, { type: 'contributions', minAge: 18 }); // donors are adults
  let lastStatus = '';
  const batch = await donorlens.waitForBatch(id, {
    onProgress: ({ counts, addresses, waits_for: reason }) => {
      const progress = `${counts.done} of ${counts.total} rows, ${addresses.pending} wait for their address`;
      const status = `${progress}${(reason ?? '').replace(/\d/g, '')}`; // numbers and times in a reason change
      if (status !== lastStatus) console.error(reason ? `${progress}: ${reason}` : progress);
      lastStatus = status;
    },
  });
  console.error(`${batch.counts.ok} of ${batch.counts.total} rows have an answer`);
  if (batch.addresses.pending > 0)
    console.error(`rows that still wait for their address (PENDING): ${batch.addresses.pending}`);

  await pipeline(Readable.fromWeb(await donorlens.resultStream(id)), process.stdout);
} catch (error) {
  if (!(error instanceof DonorlensProblem || error instanceof DonorlensUnreachable)) throw error;
  console.error(error.message);
  for (const { pointer, detail } of error.errors ?? []) console.error(`  ${pointer}: ${detail}`);
  process.exitCode = 1;
}
