import { setTimeout as sleep } from 'node:timers/promises';
import {
  type OpsAction,
  OperatorRequests,
  type OpsTarget,
  OperationsReader,
  alertsFor,
  overallStatus,
} from '@donorlens/operations';
import { type Config, readConfig } from '@donorlens/config';
import { createLogger } from '@donorlens/observability';
import { openProducers } from '@donorlens/queues';
import { CliError, EXIT, type ExitCode } from '../exit-code';
import { type Context, clientContext } from '../program-context';
import { auditText, queuesText, statusText, wordsOf } from './ops-text';
import { databaseUrlOf } from '../database-url';
import { type RunInfo, readRunInfo } from '../home/home';
import { withPool } from '../with-pool';

/** Actor in the audit log: every user of the database is an operator. */
const ACTOR = 'operator';
/** Poll interval of the command; the leader reads requests once a second. */
const POLL_INTERVAL_MS = 200;
const REQUEST_TIMEOUT_MS = 10_000;

export interface JsonOption {
  readonly json?: boolean;
}
export interface ListOptions extends JsonOption {
  readonly limit: number;
}
export interface WaitOptions extends JsonOption {
  /** Whether to wait without a timeout until the request is completed. */
  readonly wait?: boolean;
}

export const queues = (context: Context, { json }: JsonOption): Promise<ExitCode> =>
  withReader(async (reader) => {
    const { queues: all, at } = await reader.status();
    context.out(json ? JSON.stringify(all, null, 2) : queuesText(all, at));
    return EXIT.ok;
  });

export const status = (context: Context, { json }: JsonOption): Promise<ExitCode> =>
  withReader(async (reader) => {
    const now = await reader.status();
    context.out(json ? JSON.stringify(now, null, 2) : statusText(now));
    return EXIT.ok;
  });

/** Lists the newest entries of the audit log, or only the operator requests among them. */
export const audit = (context: Context, { limit, json }: ListOptions, onlyRequests: boolean): Promise<ExitCode> =>
  withRequests(async (requests) => {
    const entries = (await requests.recent(limit)).filter(({ action }) => !onlyRequests || action.startsWith('ops.'));
    context.out(json ? JSON.stringify(entries, null, 2) : auditText(entries));
    return EXIT.ok;
  });

/**
 * Records an operator request and waits for its result.
 * @returns exit code 4 if the request is not completed yet, because there is no leader or it takes longer
 */
export const submitOperatorRequest = (
  context: Context,
  action: OpsAction,
  target: OpsTarget,
  { wait, json }: WaitOptions,
): Promise<ExitCode> =>
  withRequests(async (requests) => {
    const id = await requests.submit(action, target, ACTOR);
    const requested = await awaitRequest(requests, id, wait ? Infinity : REQUEST_TIMEOUT_MS);
    if (json)
      context.out(
        JSON.stringify({ request: id, state: requested?.state ?? 'asked', outcome: requested?.outcome ?? null }),
      );
    else context.note(line(id, action, requested));
    if (requested?.state === 'failed') throw new CliError(`request ${id} failed: ${wordsOf(requested.outcome ?? {})}`);
    return requested?.state === 'done' ? EXIT.ok : EXIT.partial;
  });

type RequestResult = Awaited<ReturnType<OperatorRequests['find']>>;

async function awaitRequest(requests: OperatorRequests, id: string, timeoutMs: number): Promise<RequestResult> {
  const until = performance.now() + timeoutMs;
  for (;;) {
    const entry = await requests.find(id);
    if (entry?.state === 'done' || entry?.state === 'failed' || performance.now() >= until) return entry;
    await sleep(POLL_INTERVAL_MS);
  }
}

function line(id: string, action: OpsAction, requested: RequestResult): string {
  const outcome = wordsOf(requested?.outcome ?? {});
  const what = /^(paused|resumed)$/.test(outcome)
    ? outcome
    : [action, outcome].filter((text) => text !== '').join(': ');
  if (requested?.state === 'done') return `completed, ${what}`;
  const why = requested?.state === 'running' ? 'the leader is running it' : 'the leader has not started it yet';
  return `request ${id} is recorded, ${why}; see bin/donorlens ops requests`;
}

/** Opens the operator requests and closes them after the work. */
export const withRequests = <T>(work: (requests: OperatorRequests) => Promise<T>): Promise<T> =>
  withPool(databaseUrlOf(), (pool) => work(new OperatorRequests(pool)));

/** The first line of `ops status` for the running service, and whether the service has alerts. */
export const readOverallStatus = (run: RunInfo, config = readConfig()): Promise<{ text: string; hasAlerts: boolean }> =>
  withReader(
    async (reader) => {
      const now = await reader.status();
      return { text: overallStatus(now, null, now.at), hasAlerts: alertsFor(now, null, now.at).length > 0 };
    },
    configOf(run, config),
  );

/** Opens a reader of the service state. It also reads the queue server, which may not answer. */
async function withReader<T>(work: (reader: OperationsReader) => Promise<T>, config = serviceConfig()): Promise<T> {
  const producers = await openProducers(config, createLogger('cli', 'silent'));
  try {
    return await withPool(config.databaseUrl, (pool) => work(new OperationsReader(pool, config, producers)));
  } finally {
    await producers.close();
  }
}

type ServiceConfig = Config & { readonly databaseUrl: string };

/** The settings of the running service, which may differ from the environment of this command. */
function configOf({ databaseUrl, redisUrl, queue, schedule }: RunInfo, config: Config): ServiceConfig {
  const ofService = schedule && { dataSource: undefined, fecCycles: undefined, ...schedule };
  return { ...config, ...ofService, databaseUrl, redisUrl: redisUrl ?? undefined, queueBackend: queue };
}

/** The configuration of the environment. Without DATABASE_URL, it uses the running `npm start`. */
function serviceConfig(): ServiceConfig {
  const config = readConfig();
  const run = readRunInfo(clientContext().home);
  return config.databaseUrl === undefined && run ? configOf(run, config) : { ...config, databaseUrl: databaseUrlOf() };
}
