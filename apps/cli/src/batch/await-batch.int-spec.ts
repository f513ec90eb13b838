import { type Server, createServer } from 'node:http';
import { type AddressInfo } from 'node:net';
import { awaitBatch } from './await-batch';
import { type BatchView } from './batch-view';
import { type Progress, linesOn } from './progress';
import { ServiceClient } from './service-client';

const TOTAL = 4;
const batch = (done: number, pending: number, reason: string | null, state = 'running'): BatchView => ({
  ...{ id: 'b', state, waits_for: reason },
  counts: { total: TOTAL, done, ok: done, partial: 0, not_found: 0, invalid: 0, failed: 0 },
  stages: { enriched: { done, total: TOTAL }, geocoded: { done: done - pending, total: TOTAL } },
  addresses: { match: done - pending, no_match: 0, tie: 0, skipped: 0, pending },
});

/** A server that returns the next state of the batch on each poll, and the last state from then on. */
function serviceOf(looks: readonly BatchView[]): Promise<Server> {
  let at = 0;
  const server = createServer((_request, response) => {
    const look = looks[Math.min(at++, looks.length - 1)];
    response.setHeader('content-type', 'application/json').end(JSON.stringify(look));
  });
  return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server)));
}

describe('waiting for a batch', () => {
  const said: string[] = [];
  const steps: string[] = [];
  const progress: Progress = {
    update: (done, total) => void steps.push(`${done}/${total}`),
    printLine: (line) => void said.push(line),
    end: () => undefined,
  };
  const wait = (...looks: BatchView[]): Promise<string> => waitWith({}, looks);
  async function waitWith(options: { shouldAwaitAddresses?: boolean }, looks: BatchView[]): Promise<string> {
    const server = await serviceOf(looks);
    const client = new ServiceClient(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, 'a key');
    try {
      return (await awaitBatch(client, 'b', progress, options)).state;
    } finally {
      await client.close();
      server.close();
    }
  }
  beforeEach(() => {
    said.length = 0;
    steps.length = 0;
  });

  it('counts both stages, and reports each reason for pending addresses once, after enrichment', async () => {
    const state = await wait(
      batch(2, 2, 'the geocoder fails (last error: timeout)'),
      batch(4, 4, '1,200 addresses pending, at most 600 calls a minute'),
      batch(4, 3, '1 address pending, at most 600 calls a minute'),
      batch(4, 3, 'the geocoder fails (last error: timeout); one call tries it again at 12:00:30 UTC'),
      batch(4, 1, 'the geocoder fails (last error: unreachable); one call tries it now'),
      batch(4, 0, null, 'completed'),
    );
    expect(state).toBe('completed');
    expect(steps).toEqual(['2/8', '4/8', '5/8', '5/8', '7/8', '8/8']);
    const partial =
      '  read the results so far: bin/donorlens batch results b --partial (Ctrl-C leaves the batch running)';
    expect(said.map((lines) => lines.split('\n'))).toEqual([
      [
        'names are done; 4 rows wait for their address:',
        '  1,200 addresses pending, at most 600 calls a minute',
        partial,
      ],
      [
        'names are done; 3 rows wait for their address:',
        '  the geocoder fails (last error: timeout)',
        '  one call tries it again at 12:00:30 UTC',
        partial,
      ],
    ]);
  });

  it('reports once why the queue of the batch has stopped', async () => {
    const paused = 'the service has paused this work';
    expect(await wait(batch(0, 0, paused), batch(0, 0, paused), batch(4, 0, null, 'completed'))).toBe('completed');
    expect(said).toEqual([`waiting: ${paused} (Ctrl-C leaves the batch running)`]);
  });

  it('reports nothing about a batch that has ended', async () => {
    expect(await wait(batch(4, 1, 'the geocoder fails', 'completed'))).toBe('completed');
    expect(said).toEqual([]);
  });

  it('continues until late addresses are geocoded if requested, and reports that once', async () => {
    const looks = [
      batch(4, 2, 'the geocoder fails', 'completed'),
      batch(4, 1, 'the geocoder fails', 'completed'),
      batch(4, 0, null, 'completed'),
    ];
    expect(await waitWith({ shouldAwaitAddresses: true }, looks)).toBe('completed');
    expect(steps).toEqual(['6/8', '7/8', '8/8']);
    expect(said).toEqual([
      'completed, addresses of 2 rows are pending:\n  the geocoder fails\n  waiting until all are geocoded, Ctrl-C stops waiting',
    ]);
    expect(await waitWith({ shouldAwaitAddresses: true }, [batch(4, 1, null, 'cancelled')])).toBe('cancelled');
  });

  it('writes a line without a terminal when the text has changed, and otherwise once a minute', () => {
    const written: string[] = [];
    let now = 0;
    const lines = linesOn({ write: (text) => written.push(text) }, () => now);
    for (now = 0; now < 130_000; now += 2_000) lines.update(0, 1, now < 8_000 ? `at ${now}` : 'the same');
    expect(written).toEqual(['at 6000\n', 'the same\n', 'the same\n']);
  });

  it('writes permanent lines immediately without a terminal', () => {
    const written: string[] = [];
    const lines = linesOn({ write: (text) => written.push(text) }, () => 0);
    lines.update(1, 2, 'too soon');
    lines.printLine('a reason');
    expect(written).toEqual(['a reason\n']);
  });
});
