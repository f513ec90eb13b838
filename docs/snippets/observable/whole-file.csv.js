// Data loader: a whole file of donors as a batch: send it, wait until it is done, read your columns with the added ones.
// DONORLENS_URL and DONORLENS_KEY are set in the environment of the build; the key never reaches a browser.
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';

const { DONORLENS_URL, DONORLENS_KEY } = process.env;

async function ask(path, init) {
  const answer = await fetch(DONORLENS_URL + path, {
    ...init,
    headers: { 'x-api-key': DONORLENS_KEY, ...init?.headers },
  });
  if (!answer.ok) throw new Error(await answer.text());
  return answer;
}

const sent = await ask('/enrich/v1/batches?type=contributions&min_age=18', {
  method: 'POST',
  headers: { 'content-type': 'text/csv' },
  body: await readFile('contributions.csv'),
});

let batch = await sent.json();
let shown = null;
while (!['completed', 'cancelled', 'failed', 'expired'].includes(batch.state)) {
  const answer = await ask(`${batch.links.self}?format=json`);
  batch = await answer.json();
  const reason = batch.waits_for?.replace(/\d/g, ''); // ignore changing numbers and times
  if (reason && reason !== shown) console.error(`waiting: ${batch.waits_for}`);
  shown = reason;
  await sleep(1000 * Number(answer.headers.get('retry-after') ?? 0));
}
if (batch.state !== 'completed') throw new Error(`The batch is ${batch.state}.`);

const results = await ask(`${batch.links.results}?format=csv`);
process.stdout.write(await results.text());
if (batch.addresses.pending > 0)
  console.error(`rows that still wait for their address (PENDING): ${batch.addresses.pending}`);
