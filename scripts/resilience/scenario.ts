import { setTimeout as pause } from 'node:timers/promises';
import { Pool } from 'pg';
import { findRedisServer } from '@donorlens/local-servers';
import { seeded } from '../../test/support/seeded';
import { type Options, type ValuesOf } from '../command/options';
import { type Command, command, type Report, say } from '../command/report';
import { Installation, type InstallationOptions } from '../../test/support/installation';
import { BatchClient } from './support/batch-client';
import { startGeocoder } from '../../test/support/installation/geocoder';

type Cell = string | number;
type Element<T> = T extends readonly (infer E)[] ? E : T;

/** Options of one run. A list on the command line starts one run for each of its values. */
export type RunOf<O extends Options> = { readonly [K in keyof O]: Element<ValuesOf<O>[K]> };
/** Result of a run, with its options and its duration. */
export type Finding<O extends Options, Result> = RunOf<O> & Result & { readonly seconds: number };

export interface SetUp extends Partial<InstallationOptions> {
  readonly withGeocoder?: boolean;
  /** Called when the installation has stopped. */
  readonly dispose?: () => unknown;
}

/** Resources of a run. */
export interface Stage {
  readonly installation: Installation;
  readonly client: BatchClient;
  /** Connects directly to Postgres, not through a proxy. */
  readonly pool: Pool;
  /** Random numbers from the seed of the run, if the scenario has one. */
  readonly random: () => number;
  readonly say: (text: string) => void;
}

export interface Scenario<O extends Options, Result> {
  /** The promise of the service that this scenario verifies. */
  readonly promise: string;
  readonly options: O;
  readonly setUp: (run: RunOf<O>) => SetUp | Promise<SetUp>;
  /** Generates load and injects faults. */
  readonly execute: (stage: Stage, run: RunOf<O>) => Promise<Result>;
  /** Conditions that every finding must meet, by the name that a failure shows. */
  readonly checks: Readonly<Record<string, (finding: Finding<O, Result>) => boolean>>;
  /** One row for each run, unless `rows` returns another table. */
  readonly columns?: Readonly<Record<string, (finding: Finding<O, Result>) => Cell>>;
  readonly rows?: (findings: readonly Finding<O, Result>[]) => Pick<Report, 'columns' | 'rows'>;
  readonly notes?: (findings: readonly Finding<O, Result>[]) => readonly string[];
  /** Turns an error of a run into a finding; without it the command fails. */
  readonly failed?: (error: Error, run: RunOf<O>) => Result;
}

/** A command that runs a scenario once for each combination of its options. */
export function scenario<O extends Options, Result extends object>(definition: Scenario<O, Result>): Command {
  const { promise, options } = definition;
  return command({
    what: promise,
    options,
    run: async (values) => {
      const findings: Finding<O, Result>[] = [];
      for (const run of runsOf<O>(values)) findings.push(await executed(definition, run));
      return reportOf(definition, findings);
    },
  });
}

/** Combines the option values into runs. Without redis-server on this machine, the queue is in Postgres. */
function runsOf<O extends Options>(values: ValuesOf<O>): RunOf<O>[] {
  let runs: Record<string, unknown>[] = [{}];
  for (const [name, value] of Object.entries(values as Record<string, unknown>)) {
    const choices: readonly unknown[] = Array.isArray(value) ? value : [value];
    runs = runs.flatMap((run) => choices.map((choice) => ({ ...run, [name]: choice })));
  }
  if (runs.some(({ queue }) => queue === 'redis') && findRedisServer(process.env.PATH ?? '') === null) {
    say('no redis-server on this machine (Debian: apt-get install redis-server): the queue is in Postgres');
    for (const run of runs) if (run.queue === 'redis') run.queue = 'postgres';
  }
  return [...new Map(runs.map((run) => [JSON.stringify(run), run])).values()] as RunOf<O>[];
}

async function executed<O extends Options, Result>(
  definition: Scenario<O, Result>,
  run: RunOf<O>,
): Promise<Finding<O, Result>> {
  const { seed = 1, queue = 'redis' } = run as { seed?: number; queue?: InstallationOptions['queue'] };
  let started = performance.now();
  const began = (): void => void (started = performance.now());
  const attempt = async (): Promise<Result> => {
    const { withGeocoder, dispose, ...setUp } = await definition.setUp(run);
    const geocoder = withGeocoder ? await startGeocoder() : undefined;
    try {
      const installed = { queue, ...(geocoder && { geocoderUrl: geocoder.url }), ...setUp };
      return await withStage(installed, seed, (stage) => (began(), definition.execute(stage, run)));
    } finally {
      await geocoder?.stop();
      await dispose?.();
    }
  };
  const result = await attempt().catch((error: Error) => {
    if (!definition.failed) throw error;
    return definition.failed(error, run);
  });
  const finding = { ...run, ...result, seconds: (performance.now() - started) / 1000 };
  const broken = brokenChecks(definition, [finding]);
  say(`${describe(run)}: ${broken.length === 0 ? 'all checks passed' : `FAILED: ${broken.join('; ')}`}`);
  return finding;
}

async function withStage<T>(
  options: InstallationOptions,
  seed: number,
  work: (stage: Stage) => Promise<T>,
): Promise<T> {
  const installation = await Installation.start(options);
  const pool = new Pool({ connectionString: installation.postgres.url, max: 4 });
  pool.on('error', () => undefined); // a fault may kill the server
  try {
    say(`installation is ready, logs: ${installation.home}/logs`);
    const client = new BatchClient(installation.apiUrls, seeded(seed + 1));
    return await work({ installation, client, pool, random: seeded(seed), say });
  } finally {
    await Promise.race([pool.end(), pause(5_000)]);
    await installation.stop();
  }
}

const describe = (run: object): string =>
  Object.entries(run)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name} ${String(value)}`)
    .join(', ');

const brokenChecks = <O extends Options, Result>(
  { checks }: Scenario<O, Result>,
  findings: readonly Finding<O, Result>[],
): string[] =>
  Object.entries(checks)
    .filter(([, holds]) => !findings.every(holds))
    .map(([name]) => name);

function reportOf<O extends Options, Result>(
  definition: Scenario<O, Result>,
  findings: readonly Finding<O, Result>[],
): Report {
  const columns = Object.entries(definition.columns ?? {});
  const table = definition.rows?.(findings) ?? {
    columns: columns.map(([name]) => name),
    rows: findings.map((finding) => columns.map(([, cell]) => cell(finding))),
  };
  const broken = brokenChecks(definition, findings);
  const failures = broken.length === 0 ? [] : [`**Failed:** ${broken.join('; ')}.`];
  return { ...table, notes: [...(definition.notes?.(findings) ?? []), ...failures], passed: broken.length === 0 };
}
