import { fork } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from 'pg';
import { copyOut, migrate } from '@donorlens/database';
import { createLogger } from '@donorlens/observability';
import { openRelease } from '@donorlens/reference-data';
import { alternate, peakMemoryMb, resetPeakMemory, reportStep } from '../measure';
import { SyntheticItcont } from '../../../test/support/bench-data/synthetic-itcont';
import { bareCopy, lookUpTables, type Method, SqlMethod } from './sql-method';

export type MethodName = 'bare' | 'ours' | 'sql';

export interface MethodTimes {
  readonly rows: number;
  /** Milliseconds of each round. */
  readonly times: Readonly<Record<MethodName, readonly number[]>>;
  /** Peak memory of the donorlens process, MB. */
  readonly residentMb: number;
}

interface Wanted {
  readonly databaseUrl: string;
  readonly folder: string;
  readonly releaseBytes: Uint8Array<ArrayBuffer>;
  readonly sizes: readonly number[];
  readonly rounds: number;
}

/** Measures three methods from a file to enriched rows in alternation. Compares their rows before it measures. */
export async function fileToRows({ databaseUrl, folder, releaseBytes, sizes, rounds }: Wanted): Promise<MethodTimes[]> {
  await migrate(databaseUrl, createLogger('bench', 'error'));
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  const releaseFile = join(folder, 'release');
  await writeFile(releaseFile, releaseBytes);
  const ours = await startOurProcess(releaseFile, databaseUrl);
  try {
    const release = openRelease(releaseBytes);
    const synthetic = new SyntheticItcont(release);
    const tables = lookUpTables(release, synthetic);
    const found: MethodTimes[] = [];
    for (const rows of sizes) {
      const file = join(folder, `itcont-${rows}`);
      await synthetic.write(file, rows);
      const sql = new SqlMethod(client, file);
      await sql.prepare(tables);
      const readyFile = `${file}.ready`;
      const methods: Record<MethodName, Method> = { bare: bareCopy(client, readyFile), ours: ours.on(file), sql };
      const what = `${rows} rows`;
      await reportStep(`${what}: compared method by method`, () => compared(client, methods, readyFile));
      resetPeakMemory(ours.pid);
      const run = (name: MethodName) => () => timed(client, 'bench_out', methods[name]);
      const times = await alternate(rounds, { bare: run('bare'), ours: run('ours'), sql: run('sql') }, what);
      found.push({ rows, times, residentMb: peakMemoryMb(ours.pid) });
      await client.query(`drop table bench_ours, bench_out; ${SqlMethod.DROP}`);
      for (const written of [file, readyFile]) rmSync(written);
    }
    return found;
  } finally {
    ours.stop();
    await client.end();
  }
}

/** Writes the rows of donorlens to the file that the baseline copies, and compares the other methods with them. */
async function compared(
  client: Client,
  methods: Readonly<Record<MethodName, Method>>,
  readyFile: string,
): Promise<void> {
  await timed(client, 'bench_ours', methods.ours);
  await writeFile(readyFile, copyOut(client, 'copy (select * from bench_ours order by row_no) to stdout'));
  for (const name of ['bare', 'sql'] as const) {
    await timed(client, 'bench_out', methods[name]);
    await assertAlike(client, name);
  }
}

/** Runs a method on an empty copy of `result`, after a checkpoint of earlier writes. @returns milliseconds */
async function timed(client: Client, table: string, method: Method): Promise<number> {
  await client.query(`drop table if exists ${table}; create table ${table} (like result including all)`);
  await client.query('checkpoint');
  const start = performance.now();
  await method.run(table);
  return performance.now() - start;
}

async function assertAlike(client: Client, name: string): Promise<void> {
  const result = await client.query<{ rows: number; different: number; example: string | null }>(
    `select count(*)::int as rows, count(*) filter (where o is distinct from t)::int as different,
            min(concat(o, ' and ', t)) filter (where o is distinct from t) as example
     from bench_ours o full join bench_out t using (row_no)`,
  );
  const [{ rows, different, example }] = result.rows;
  if (different > 0) throw new Error(`${name}: ${different} of ${rows} rows differ, for example ${example}`);
}

/** A process that reads, enriches and stores a file on request. */
async function startOurProcess(releaseFile: string, databaseUrl: string) {
  const child = fork(join(__dirname, 'our-process.js'), [releaseFile, databaseUrl]);
  await once(child, 'message');
  const on = (file: string): Method => ({
    run: async (table) => {
      const done = once(child, 'message');
      child.send({ file, table });
      await done;
    },
  });
  return { pid: child.pid ?? -1, on, stop: () => child.kill() };
}
