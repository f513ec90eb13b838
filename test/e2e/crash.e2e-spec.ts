import { Service } from '../support/service';
import { until } from '../support/until';
import { contributionsCsv } from '../support/contributions';

const ROWS = 100_000;
const CHUNK_ROWS = 200;

interface Batch {
  id: string;
  state: string;
  counts: {
    total: number;
    done: number;
    ok: number;
    partial: number;
    not_found: number;
    invalid: number;
    failed: number;
  };
}

/** With the queue on Redis chaos.e2e-spec.ts does this and more. */
const backend = 'postgres';

describe('a batch of 100,000 rows', () => {
  let service: Service;
  beforeAll(async () => {
    service = await Service.start({ QUEUE_BACKEND: backend, CHUNK_ROWS: String(CHUNK_ROWS), LOG_LEVEL: 'warn' });
  });
  afterAll(async () => void (await service?.stop()));

  const status = (id: string) => service.json<Batch>(`/enrich/v1/batches/${id}`).catch(() => null);
  const progressed = (id: string, share: number) =>
    until(
      `${share} of the rows done`,
      async () => {
        const batch = await status(id);
        return batch && batch.counts.done >= share * ROWS && batch;
      },
      120_000,
    );

  it('completes by itself, every row once, after kill -9 of the worker, the queue server and the api', async () => {
    const accepted = await service.json<Batch>('/enrich/v1/batches?type=contributions', {
      method: 'POST',
      headers: { 'content-type': 'text/csv' },
      body: [...contributionsCsv(ROWS)].join(''),
    });
    expect(accepted.counts.total).toBe(ROWS);

    const doneAtKill: number[] = [];
    for (const [share, role] of [
      [0.02, 'worker'],
      [0.1, backend],
      [0.2, 'api'], // last: how far it is by then cannot be asked until another has started
    ] as const) {
      doneAtKill.push((await progressed(accepted.id, share)).counts.done);
      service.kill(role);
    }
    for (const done of doneAtKill) expect(done).toBeLessThan(ROWS);

    const finished = await until(
      'completed',
      async () => {
        const batch = await status(accepted.id);
        return batch?.state === 'completed' && batch;
      },
      180_000,
    );
    expect(finished.counts).toMatchObject({ total: ROWS, done: ROWS, invalid: 0, failed: 0 });
    expect(finished.counts.ok + finished.counts.partial + finished.counts.not_found).toBe(ROWS);
    // one name in ten and one surname in ten are unknown: both for one row in a hundred
    expect(finished.counts.not_found).toBe(ROWS / 100);

    const lines = (await service.text(`/enrich/v1/batches/${accepted.id}/results?format=csv`)).split('\n');
    expect(lines.pop()).toBe('');
    expect(lines.length).toBe(ROWS + 1);
    for (let i = 0; i < ROWS; i++)
      if (!lines[i + 1].startsWith(`${i},`)) throw new Error(`line ${i + 1} is ${lines[i + 1]}`);
  }, 400_000);
});
