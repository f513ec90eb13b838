/** Enriches a file: DONORLENS_URL=… DONORLENS_KEY=… node examples/enrich-file.mjs contributions.csv > enriched.csv */
import { createReadStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createDonorlens, DonorlensProblem, DonorlensUnreachable } from '@donorlens/client';

const donorlens = createDonorlens({
  baseUrl: process.env.DONORLENS_URL ?? 'http://127.0.0.1:3000',
  key: process.env.DONORLENS_KEY ?? '',
});

try {
  const [thomas] = await donorlens.ageGender([{ name: 'Thomas', date: '2017-07-01' }]);
  console.error(`Thomas: ${thomas.age}, ${thomas.gender}`);

  const file = Readable.toWeb(createReadStream(process.argv[2]));
  const { id } = await donorlens.submitBatch(file, { type: 'contributions' });
  let told = '';
  const batch = await donorlens.waitForBatch(id, {
    onProgress: ({ progress, waits_for: reason }) => {
      const words = `${Math.floor(100 * progress)} %${reason ? `; waiting: ${reason}` : ''}`;
      if (words !== told) console.error((told = words));
    },
  });
  console.error(`${batch.counts.ok} of ${batch.counts.total} rows have an answer`);
  if (batch.addresses.pending > 0)
    console.error(`${batch.addresses.pending} rows still wait for their address (PENDING)`);

  await pipeline(Readable.fromWeb(await donorlens.resultStream(id)), process.stdout);
} catch (error) {
  if (!(error instanceof DonorlensProblem || error instanceof DonorlensUnreachable)) throw error;
  console.error(error.message);
  for (const { pointer, detail } of error.errors ?? []) console.error(`  ${pointer}: ${detail}`);
  process.exitCode = 1;
}
