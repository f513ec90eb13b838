import { type Command } from 'commander';
import { withServiceOptions } from '../batch/batch.commands';
import { readBatch } from '../batch/batch-view';
import { type ServiceOptions, findService, HttpFault, type ServiceClient } from '../batch/service-client';
import { addressText, countsText } from '../batch/progress';
import { EXIT, type ExitCode, messageOf } from '../exit-code';
import { type RunInfo, readRunInfo } from '../home/home';
import { type Context, clientContext, examples } from '../program-context';
import { shownUrl } from '../start/banner';

interface StatusOptions extends ServiceOptions {
  readonly json?: boolean;
}

const BATCHES_SHOWN = 5;

export function addStatusCommand(program: Command, context: Context): void {
  withServiceOptions(program.command('status'))
    .description('show readiness, alerts, data release and activity of the service')
    .option('--json', 'as JSON')
    .addHelpText(
      'after',
      `${examples('bin/donorlens status', 'bin/donorlens status --json')}\n\nExit codes: 0 ready, 3 not ready, or the service accepts no API key.`,
    )
    .action(context.run((options: StatusOptions) => status(context, options)));
}

async function status(context: Context, options: StatusOptions): Promise<ExitCode> {
  const { config, home } = clientContext();
  const client = findService(options, config, home);
  try {
    const info = readRunInfo(home);
    const run = info?.url === client.url ? info : null;
    const ready = await readiness(client);
    const { batches, problem } = ready.ready ? await latestBatches(client) : { ...ready, batches: [] };
    const facts = {
      url: client.url,
      ...ready,
      problem,
      overall: await overall(client, run),
      ...(run
        ? {
            pid: run.pid,
            started_at: run.startedAt,
            processes: run.processes,
            database: shownUrl(run.databaseUrl),
            queue: run.redisUrl ? shownUrl(run.redisUrl) : 'in the database',
            geocoder: await geocoder(run.databaseUrl),
          }
        : {}),
      batches,
    };
    context.out(options.json ? JSON.stringify(facts, null, 2) : lines(facts).join('\n'));
    return problem === null ? EXIT.ok : EXIT.dependency;
  } finally {
    await client.close();
  }
}

/** The first line of `ops status`; null if it can be read neither from the database nor with the API key. */
async function overall(client: ServiceClient, run: RunInfo | null): Promise<string | null> {
  try {
    if (run) return (await (await import('../ops/ops.js')).readOverallStatus(run)).text;
    const ops = await client.json('/ops?format=json');
    return typeof ops === 'object' && ops !== null && 'overall' in ops ? String(ops.overall) : null;
  } catch {
    return null;
  }
}

/** Status line of the geocoder; null if the database cannot be read, which another line reports. */
async function geocoder(databaseUrl: string): Promise<string | null> {
  const { geocoderLine, readStatus } = await import('../geocode/geocode-status.js');
  return readStatus(databaseUrl).then(geocoderLine, () => null);
}

interface Readiness {
  readonly ready: boolean;
  readonly release: string | null;
  readonly problem: string | null;
}

async function readiness(client: ServiceClient): Promise<Readiness> {
  try {
    const body = await client.json('/health/ready');
    const release = typeof body === 'object' && body !== null && 'release' in body ? String(body.release) : null;
    return { ready: true, release, problem: null };
  } catch (error) {
    return { ready: false, release: null, problem: messageOf(error) };
  }
}

/**
 * None if the key lacks the scope of batches (403). A service that is ready answers 503 if it accepts no API key, as
 * after a restore; the error says why.
 */
async function latestBatches(client: ServiceClient): Promise<{ batches: object[]; problem: string | null }> {
  try {
    const page = await client.json(`/enrich/v1/batches?limit=${BATCHES_SHOWN}`);
    const results = typeof page === 'object' && page !== null && 'results' in page ? page.results : [];
    return { batches: (Array.isArray(results) ? results : []).map((batch) => readBatch(batch)), problem: null };
  } catch (error) {
    if (!(error instanceof HttpFault && (error.status === 403 || error.status === 503))) throw error;
    return { batches: [], problem: error.status === 403 ? null : messageOf(error) };
  }
}

function lines(facts: Readiness & { url: string; batches: object[] } & Partial<Record<string, unknown>>): string[] {
  const row = (name: string, value: unknown) =>
    value === undefined || value === null ? [] : [`${name.padEnd(10)} ${text(value)}`];
  return [
    ...row('service', `${facts.url} is ${facts.ready ? 'ready' : `not ready: ${facts.problem}`}`),
    ...row('problem', facts.ready ? facts.problem : null),
    ...row('state', facts.overall),
    ...row('release', facts.release),
    ...row('since', facts.started_at),
    ...row('database', facts.database),
    ...row('queue', facts.queue),
    ...row('geocoder', facts.geocoder),
    ...row('processes', facts.processes),
    ...facts.batches.map((batch) => {
      const view = readBatch(batch);
      return [
        'batch     ',
        view.id,
        `${view.state},`,
        [countsText(view), addressText(view)].filter(Boolean).join('; '),
      ].join(' ');
    }),
  ];
}

const text = (value: unknown): string =>
  typeof value === 'object' && value !== null
    ? Object.entries(value)
        .map(([name, pid]) => `${name} ${String(pid)}`)
        .join(', ')
    : String(value);
