import { z } from 'zod';
import {
  DEFAULT_OFFICES,
  DomainError,
  ETHNICITY_OPTIONS,
  type EthnicityOption,
  FEC_OFFICES,
  type FecOffice,
  cycleOfYear,
} from '@donorlens/primitives';
import { isPooled, poolingIn, redisCluster } from './server-urls';

const wholeNumber = (least: number, most: number) => {
  const error = `must be a whole number from ${least} to ${most}`;
  return z
    .string()
    .regex(/^\d{1,15}$/, error)
    .transform(Number)
    .refine((number) => number >= least && number <= most, error);
};
/** A URL of one of the protocols, written with their colons. */
export const serverUrl = (...protocols: string[]) =>
  z.string().refine(
    (text) => {
      try {
        return protocols.includes(new URL(text).protocol);
      } catch {
        return false;
      }
    },
    `must be a ${protocols.map((protocol) => `${protocol}//`).join(' or ')} URL`,
  );

/** Only `?pgbouncer=true` is valid: another value would otherwise be noticed only under load. */
const databaseUrl = serverUrl('postgres:', 'postgresql:').refine(
  (url) => [null, 'true', 'false'].includes(poolingIn(url)),
  'says pgbouncer= with something else than true or false',
);

const REDIS_PROTOCOLS = ['redis:', 'rediss:'];
const redisUrl = z.string().refine((text) => {
  if (redisCluster(text)) return true;
  return URL.canParse(text) && REDIS_PROTOCOLS.includes(new URL(text).protocol) && !new URL(text).host.includes(',');
}, 'must be a redis:// or rediss:// URL of one server, or of a Redis Cluster by one or more of its nodes, as in redis+cluster://a:6379,b:6379 (rediss+cluster:// for TLS)');

/** Even years, one for each election cycle; each once, in order. */
const cycles = z.string().transform((text, context) => {
  const years = text.split(',').map((year) => year.trim());
  if (years.every((year) => /^(19|20)\d[02468]$/.test(year))) return [...new Set(years.map(Number))].sort();
  context.addIssue('must be even years with commas between them, as in 2020,2024');
  return z.NEVER;
});

/** Offices, each once, in the order of FEC_OFFICES. */
const offices = z.string().transform((text, context) => {
  const read = text.split(',').map((office) => office.trim().toUpperCase());
  if (read.every((office) => FEC_OFFICES.some((one) => one === office)))
    return FEC_OFFICES.filter((one) => read.includes(one));
  context.addIssue('must be offices with commas between them, as in P,S,H');
  return z.NEVER;
});

const oneOf = <const T extends readonly [string, ...string[]]>(words: T) =>
  z.enum(words, `must be one of ${words.join(', ')}`);

/** As the geocoder names its benchmarks and vintages. */
const settingName = z.string().regex(/^\w{1,64}$/, 'must be a name of letters, digits and underscores');

/** Hosts, each with or without a port. */
const hosts = z.string().transform((text, context) => {
  const names = text.split(',').map((name) => name.trim().toLowerCase());
  if (names.every((name) => /^([\w.-]+|\[[\da-f:]+\])(:\d{1,5})?$/.test(name))) return names;
  context.addIssue('must be hosts with commas between them, as in hooks.example.org,10.0.0.7:8443');
  return z.NEVER;
});

/** Minutes after midnight, UTC; null for `off`. */
const timeOfDay = z.string().transform((text, context) => {
  if (text === 'off') return null;
  const parts = /^([01]\d|2[0-3]):([0-5]\d)$/.exec(text);
  if (parts) return Number(parts[1]) * 60 + Number(parts[2]);
  context.addIssue('must be a time of day in UTC, as in 08:00, or off');
  return z.NEVER;
});

/** Every variable that an operator may set. Unset and empty are the same. */
const environment = z.object({
  /** Port of the api. */
  PORT: wholeNumber(0, 65_535).default(3000),
  /** Address the api listens on; set 0.0.0.0 behind a proxy or in a container. */
  HOST: z.string().default('127.0.0.1'),
  /** Embedded databases, caches and logs of `npm start`. */
  DONORLENS_HOME: z.string().default('.donorlens'),
  /**
   * Postgres 13 or newer; by default `npm start` runs an embedded one. Add `?pgbouncer=true` with a transaction pooler.
   */
  DATABASE_URL: databaseUrl.optional(),
  /** Your Redis 6.2 or newer with maxmemory-policy noeviction, or a Redis Cluster of such. */
  REDIS_URL: redisUrl.optional(),
  /** Backend of the queue; by default redis if REDIS_URL is set, else postgres. */
  QUEUE_BACKEND: oneOf(['redis', 'postgres']).optional(),
  /** A folder or base URL laid out by publisher (ssa/, census/, fec/); unset: the official URLs. */
  DATA_SOURCE: z.string().optional(),
  /** URL at which publishers can reach the operator; sent to a publisher that rejects a download with 403. */
  CONTACT_URL: serverUrl('http:', 'https:').optional(),
  /** A key with exactly this value, all scopes and no rate limit. For tests and demos. */
  BOOTSTRAP_KEY: z.string().optional(),
  /** Lets BOOTSTRAP_KEY have fewer than 16 characters, which can be guessed. For tests only. */
  ALLOW_SHORT_BOOTSTRAP_KEY: oneOf(['true', 'false']).default('false'),
  /** Base URL of a server that speaks the Census Geocoder's protocol. */
  GEOCODER_URL: serverUrl('http:', 'https:').default('https://geocoding.geo.census.gov/geocoder'),
  /** Which address file the geocoder looks in; `GET /benchmarks` of the service lists them. */
  GEOCODER_BENCHMARK: settingName.default('Public_AR_Current'),
  /** Vintage of the boundaries of counties, tracts and blocks. Those of 2020 match the counties of the income file. */
  GEOCODER_VINTAGE: settingName.default('Census2020_Current'),
  /** Addresses in one call; the service takes 10,000 and answers 1,000 more reliably. */
  GEOCODE_CALL_ROWS: wholeNumber(1, 10_000).default(1000),
  /** Calls in flight at a time, over all workers. */
  GEOCODE_CALLS_AT_ONCE: wholeNumber(1, 64).default(2),
  /** Requests begun in a minute, over all workers: batches of addresses, and candidates of ties one by one. */
  GEOCODE_CALLS_PER_MINUTE: wholeNumber(1, 100_000).default(3000),
  /** Seconds a call may take from its first byte to its last; 1,000 addresses may take minutes. */
  GEOCODE_BUDGET_SECONDS: wholeNumber(1, 3600).default(300),
  /**
   * Seconds without any progress after which a batch completes with addresses still PENDING; they are filled in later.
   */
  GEOCODE_PATIENCE_SECONDS: wholeNumber(0, 7 * 86_400).default(900),
  /** Days after which an unmatched or ambiguous address is geocoded again if it recurs. */
  GEOCODE_RETRY_DAYS: wholeNumber(1, 3650).default(30),
  /**
   * Secret under which addresses are hashed, the same for every process; `npm start` makes one and keeps it in its
   * home.
   */
  ADDRESS_SECRET: z.string().min(16, 'must have 16 or more characters').optional(),
  /** Most queries in one synchronous bulk request. */
  MAX_SYNC_QUERIES: wholeNumber(1, 1_000_000).default(10_000),
  /** Hours after which a finished batch's rows are erased. */
  BATCH_TTL_HOURS: wholeNumber(1, 24 * 365).default(168),
  /** Rows in one queue job. */
  CHUNK_ROWS: wholeNumber(1, 10_000).default(1000),
  /** Chunks one worker process enriches at a time. */
  WORKER_CONCURRENCY: wholeNumber(1, 64).default(4),
  /** Queues this worker takes jobs from. */
  WORKER_QUEUES: z.string().default('enrich,geocode'),
  /** Cycles whose FEC files are kept up to date; unset: those of a DATA_SOURCE folder, else none but the sample. */
  FEC_CYCLES: cycles.optional(),
  /** Offices whose candidates and committees are imported: P President, S Senate, H House. */
  FEC_OFFICES: offices.default([...DEFAULT_OFFICES]),
  /** Time of the daily download of the FEC's bulk files, UTC. */
  FEC_IMPORT_AT: timeOfDay.default(8 * 60),
  /**
   * How often recent electronic filings are downloaded; unset: hourly if FEC_CYCLES has the running cycle, else off.
   */
  FEC_FILINGS: oneOf(['hourly', '15m', 'off']).optional(),
  /** Download of the reference data: on the fourth of each month, or only on request. */
  REFERENCE_REFRESH: oneOf(['monthly', 'off']).default('monthly'),
  /** Default of ethnicity_basis: by surname, or by surname and place. */
  ETHNICITY_BASIS: oneOf(ETHNICITY_OPTIONS).default('surname'),
  /**
   * Hosts that may receive webhooks over plain http or at a private address; all others need https and a public
   * address.
   */
  WEBHOOK_ALLOWED_HOSTS: hosts.optional(),
  /** Whether anyone may read charts under /embed, which other sites show in a frame. */
  CHART_EMBEDS: oneOf(['off', 'public']).default('off'),
  /** True: after a new timeline of Postgres, no API key is valid until `keys confirm`. */
  CONFIRM_NEW_TIMELINE: oneOf(['true', 'false']).default('false'),
  /**
   * Port on which a worker or an aggregator that runs on its own serves /metrics and /health; the api has them on PORT.
   */
  METRICS_PORT: wholeNumber(1, 65_535).optional(),
  /** Base URL of an OpenTelemetry collector that takes traces by OTLP over HTTP; unset: no traces. */
  OTEL_EXPORTER_OTLP_ENDPOINT: serverUrl('http:', 'https:').optional(),
  LOG_LEVEL: oneOf(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'),
});

type Environment = z.infer<typeof environment>;

/** Settings of calls to the geocoder. */
export interface GeocoderConfig {
  /** Without a slash at its end. */
  readonly url: string;
  readonly benchmark: string;
  readonly vintage: string;
  readonly callRows: number;
  readonly callsAtOnce: number;
  readonly callsPerMinute: number;
  readonly budgetMs: number;
  readonly batchTimeoutSeconds: number;
  readonly retryDays: number;
}

export interface Config {
  readonly port: number;
  readonly host: string;
  readonly home: string;
  readonly databaseUrl: string | undefined;
  readonly redisUrl: string | undefined;
  readonly queueBackend: 'redis' | 'postgres';
  /** True if QUEUE_BACKEND was set. */
  readonly queueBackendForced: boolean;
  readonly dataSource: string | undefined;
  readonly contactUrl: string | undefined;
  readonly bootstrapKey: string | undefined;
  readonly geocoder: GeocoderConfig;
  /** Undefined only before `npm start` has created one, and for roles that hash no address. */
  readonly addressSecret: string | undefined;
  readonly maxSyncQueries: number;
  readonly batchTtlHours: number;
  readonly chunkRows: number;
  readonly workerConcurrency: number;
  readonly workerQueues: readonly string[];
  /** Undefined: all cycles of a DATA_SOURCE folder. */
  readonly fecCycles: readonly number[] | undefined;
  readonly fecOffices: readonly FecOffice[];
  /** Minutes after midnight, UTC; null: only by hand. */
  readonly fecImportAt: number | null;
  readonly fecFilings: NonNullable<Environment['FEC_FILINGS']>;
  readonly referenceRefresh: Environment['REFERENCE_REFRESH'];
  readonly ethnicityBasis: EthnicityOption;
  /** Lower case, each with or without a port. */
  readonly webhookAllowedHosts: readonly string[];
  /** After a new timeline of Postgres, no API key is valid until `keys confirm`. */
  readonly confirmNewTimeline: boolean;
  readonly chartEmbeds: Environment['CHART_EMBEDS'];
  readonly metricsPort: number | undefined;
  /** Without a slash at its end. */
  readonly otlpEndpoint: string | undefined;
  readonly logLevel: Environment['LOG_LEVEL'];
}

/** Names every mistake at once; values of variables are never part of the message. */
export class ConfigError extends DomainError {
  readonly code: string = 'config';

  constructor(readonly mistakes: readonly string[]) {
    super(`wrong environment: ${mistakes.join('; ')}`);
  }
}

/** Settings of earlier versions, and what an operator uses instead. */
const REMOVED_SETTINGS: readonly (readonly [name: string, instead: string])[] = [
  ['QUEUE_CONSOLE', '/ops and bin/donorlens queues retry failed jobs and pause queues'],
];

/** One sentence for each setting of an earlier version that is still set and has no effect. */
export const removedSettings = (env: NodeJS.ProcessEnv = process.env): readonly string[] =>
  REMOVED_SETTINGS.filter(([name]) => env[name]).map(([name, instead]) => `${name} has no effect any more: ${instead}`);

/** Why jobs cannot be held in a database that is reached by a pooler of transactions, and what to do. */
export const QUEUE_NEEDS_SESSIONS =
  'jobs in the database need sessions of their own, which a pooler of transactions (pgbouncer=true in DATABASE_URL) does not give: set REDIS_URL, or a DATABASE_URL that leads to Postgres itself, without pgbouncer=true';

const MIN_BOOTSTRAP_KEY = 16;

const isShortBootstrapKey = ({ BOOTSTRAP_KEY: key, ALLOW_SHORT_BOOTSTRAP_KEY: allowed }: NodeJS.ProcessEnv): boolean =>
  key !== undefined && key.length < MIN_BOOTSTRAP_KEY && allowed !== 'true';

const hasRunningCycle = (named: readonly number[] = []): boolean =>
  named.includes(cycleOfYear(new Date().getUTCFullYear()));

/** Checks the environment as a whole. @throws ConfigError that lists all mistakes */
export function readConfig(env: NodeJS.ProcessEnv = process.env): Config {
  const set = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined && value !== ''));
  const parsed = environment.safeParse(set);
  const mistakes = parsed.success ? [] : parsed.error.issues.map((issue) => `${issue.path.join('.')} ${issue.message}`);
  if (set.QUEUE_BACKEND === 'redis' && parsed.success && !set.REDIS_URL && set.DONORLENS_ROLE)
    mistakes.push('REDIS_URL is needed where QUEUE_BACKEND is redis');
  if (set.QUEUE_BACKEND === 'postgres' && set.DATABASE_URL && isPooled(set.DATABASE_URL))
    mistakes.push(`QUEUE_BACKEND is postgres: ${QUEUE_NEEDS_SESSIONS}`);
  if (isShortBootstrapKey(set))
    mistakes.push(
      `BOOTSTRAP_KEY must have ${MIN_BOOTSTRAP_KEY} or more characters (ALLOW_SHORT_BOOTSTRAP_KEY=true permits fewer, for tests only)`,
    );
  if (!parsed.success || mistakes.length > 0) throw new ConfigError(mistakes);
  const e = parsed.data;
  return Object.freeze({
    port: e.PORT,
    host: e.HOST,
    home: e.DONORLENS_HOME,
    databaseUrl: e.DATABASE_URL,
    redisUrl: e.REDIS_URL,
    queueBackend: e.QUEUE_BACKEND ?? (e.REDIS_URL ? 'redis' : 'postgres'),
    queueBackendForced: e.QUEUE_BACKEND !== undefined,
    dataSource: e.DATA_SOURCE,
    contactUrl: e.CONTACT_URL && new URL(e.CONTACT_URL).href,
    bootstrapKey: e.BOOTSTRAP_KEY,
    geocoder: Object.freeze({
      url: e.GEOCODER_URL.replace(/\/+$/, ''),
      benchmark: e.GEOCODER_BENCHMARK,
      vintage: e.GEOCODER_VINTAGE,
      callRows: e.GEOCODE_CALL_ROWS,
      callsAtOnce: e.GEOCODE_CALLS_AT_ONCE,
      callsPerMinute: e.GEOCODE_CALLS_PER_MINUTE,
      budgetMs: 1000 * e.GEOCODE_BUDGET_SECONDS,
      batchTimeoutSeconds: e.GEOCODE_PATIENCE_SECONDS,
      retryDays: e.GEOCODE_RETRY_DAYS,
    }),
    addressSecret: e.ADDRESS_SECRET,
    maxSyncQueries: e.MAX_SYNC_QUERIES,
    batchTtlHours: e.BATCH_TTL_HOURS,
    chunkRows: e.CHUNK_ROWS,
    workerConcurrency: e.WORKER_CONCURRENCY,
    workerQueues: Object.freeze(e.WORKER_QUEUES.split(',').map((queue) => queue.trim())),
    fecCycles: e.FEC_CYCLES && Object.freeze(e.FEC_CYCLES),
    fecOffices: Object.freeze(e.FEC_OFFICES),
    fecImportAt: e.FEC_IMPORT_AT,
    fecFilings: e.FEC_FILINGS ?? (hasRunningCycle(e.FEC_CYCLES) ? 'hourly' : 'off'),
    referenceRefresh: e.REFERENCE_REFRESH,
    ethnicityBasis: e.ETHNICITY_BASIS,
    webhookAllowedHosts: Object.freeze(e.WEBHOOK_ALLOWED_HOSTS ?? []),
    confirmNewTimeline: e.CONFIRM_NEW_TIMELINE === 'true',
    chartEmbeds: e.CHART_EMBEDS,
    metricsPort: e.METRICS_PORT,
    otlpEndpoint: e.OTEL_EXPORTER_OTLP_ENDPOINT?.replace(/\/+$/, ''),
    logLevel: e.LOG_LEVEL,
  });
}
