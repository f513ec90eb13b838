import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { command } from '../command/report';
import { contributionsCsv } from '../resilience/support/batch-client';
import { count } from './measure';
import { startService } from './service';

const ROWS = 100_000;
const LATENCY_MS = 1_000;
const CALLS_AT_ONCE = 4;
const CALL_ROWS = 1_000;
const END_MS = 600_000;

/** Measures the geocoding rate with a geocoder of fixed latency, as a share of the rate that the latency allows. */
export const geocoding = command({
  what: 'addresses through a geocoder of fixed latency',
  options: {},
  async run() {
    const stub = fork(join(__dirname, '../../test/support/bench-data/geocoder-stub.js'), [String(LATENCY_MS)]);
    const [{ port }] = (await once(stub, 'message')) as [{ port: number }];
    const service = await startService({
      ...process.env,
      GEOCODER_URL: `http://127.0.0.1:${port}/geocoder`,
      GEOCODE_CALLS_AT_ONCE: String(CALLS_AT_ONCE),
      GEOCODE_CALLS_PER_MINUTE: '100000',
      GEOCODE_CALL_ROWS: String(CALL_ROWS),
    });
    try {
      const { id } = await service.client.submit('g', ROWS, contributionsCsv('g', ROWS, 1));
      await service.client.ended(id, END_MS);
      stub.send('counts');
      const [{ calls, ms }] = (await once(stub, 'message')) as [{ calls: number; ms: number }];
      const possible = (CALLS_AT_ONCE * CALL_ROWS) / (LATENCY_MS / 1000);
      const reached = ROWS / (ms / 1000);
      const what = `${count(ROWS)} addresses, ${calls} calls of ${LATENCY_MS} ms, ${CALLS_AT_ONCE} at a time`;
      const ratio = `${(reached / possible).toFixed(2)} of ${count(possible)}/s`;
      return {
        columns: ['what', 'rate', 'ratio'],
        rows: [[what, `${count(Math.round(reached))}/s`, ratio]],
        passed: true,
      };
    } finally {
      await service.stop();
      stub.disconnect();
    }
  },
});
