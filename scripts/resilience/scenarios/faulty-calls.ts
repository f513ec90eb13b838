import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { amount, someOf, whole, wholes } from '../../command/options';
import { QUEUES, ROOT } from '../../../test/support/installation';
import {
  FAULT_COUNTS,
  FAULT_PLAN,
  type FaultCounts,
  type FaultPlan,
  FOLDER_VARIABLE,
} from '../../../test/support/fault-injection/intercepted-call';
import { scenario } from '../scenario';
import { sendBatches } from '../support/batch-client';
import { type Verification, VERIFICATION_CHECKS, VERIFICATION_COLUMNS, verify } from '../support/verification';

const CLIENTS = 4;
const BATCH_ROWS = 1_000;
const END_MS = 600_000;

const options = { rows: whole(20_000, 1), percent: amount(5), seed: wholes(1), queue: someOf(QUEUES, ['redis']) };

interface Result {
  readonly counts: FaultCounts;
  readonly found: Verification;
}

export const faultyCalls = scenario<typeof options, Result>({
  promise: 'Calls to Postgres and Redis that are done but reported as failed lose and duplicate nothing',
  options,
  setUp: () => {
    const folder = mkdtempSync(join(tmpdir(), 'donorlens-faults-'));
    return {
      processes: { api: 2, worker: 2, aggregator: 2 },
      withGeocoder: true,
      nodeOptions: ['-r', join(ROOT, 'dist/test/support/fault-injection/faulty.js')],
      environment: { CHUNK_ROWS: '100', LOG_LEVEL: 'warn', [FOLDER_VARIABLE]: folder },
      dispose: () => rmSync(folder, { recursive: true, force: true }),
    };
  },
  execute: async (stage, { rows, percent, seed }) => {
    const folder = stage.installation.environment[FOLDER_VARIABLE];
    const plan = join(folder, FAULT_PLAN);
    writeFileSync(plan, JSON.stringify({ seed, share: percent / 100 } satisfies FaultPlan));
    const accepted = await sendBatches(stage.client, {
      tag: `s${seed}`,
      rows,
      batchRows: BATCH_ROWS,
      clients: CLIENTS,
    });
    await stage.client.allEnded(accepted, END_MS);
    rmSync(plan);
    return { counts: countsIn(folder), found: await verify(stage, accepted, END_MS) };
  },
  columns: {
    queue: ({ queue }) => queue,
    seed: ({ seed }) => seed,
    rows: ({ rows }) => rows,
    calls: ({ counts }) => counts.calls,
    'done but reported as failed': ({ counts }) => counts.failed + counts.disconnected,
    'of them with the connection closed': ({ counts }) => counts.disconnected,
    ...VERIFICATION_COLUMNS,
    seconds: ({ seconds }) => Math.round(seconds),
  },
  checks: {
    ...VERIFICATION_CHECKS,
    'both kinds of faults occurred': ({ counts }) => counts.failed > 0 && counts.disconnected > 0,
  },
});

/** Sums the counts of all processes, including those that have ended. */
function countsIn(folder: string): FaultCounts {
  const sum: FaultCounts = { calls: 0, failed: 0, disconnected: 0 };
  for (const name of readdirSync(folder).filter((file) => file.startsWith(FAULT_COUNTS))) {
    const one = JSON.parse(readFileSync(join(folder, name), 'utf8')) as FaultCounts;
    for (const key of Object.keys(sum) as (keyof FaultCounts)[]) sum[key] += one[key];
  }
  return sum;
}
