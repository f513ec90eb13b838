import { z } from 'zod';
import { DomainError } from '@donorlens/primitives';

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

/** Every variable that an operator may set. Unset and empty are the same. */
const environment = z.object({
  /** Port of the api. */
  PORT: wholeNumber(0, 65_535).default(3000),
  /** Address the api listens on; set 0.0.0.0 behind a proxy or in a container. */
  HOST: z.string().default('127.0.0.1'),
  /** Embedded databases, caches and logs of `npm start`. */
  DONORLENS_HOME: z.string().default('.donorlens'),
  /** Your Postgres 13 or newer; unset: `npm start` runs an embedded one. */
  DATABASE_URL: serverUrl('postgres:', 'postgresql:').optional(),
  /** Your Redis 6.2 or newer with maxmemory-policy noeviction. */
  REDIS_URL: serverUrl('redis:', 'rediss:').optional(),
  /** Forces the queue's backend; unset: redis where REDIS_URL is set, else postgres. */
  QUEUE_BACKEND: z.enum(['redis', 'postgres']).optional(),
  /** A folder or base URL laid out by publisher (ssa/, census/); unset: the official URLs. */
  DATA_SOURCE: z.string().optional(),
  /** A key with exactly this value, all scopes and no rate limit. For tests and demos. */
  BOOTSTRAP_KEY: z.string().min(8, 'must have 8 or more characters').optional(),
  /** Base URL of a server that speaks the Census Geocoder's protocol. */
  GEOCODER_URL: serverUrl('http:', 'https:').default('https://geocoding.geo.census.gov/geocoder'),
  /** Most queries in one synchronous bulk request. */
  MAX_SYNC_QUERIES: wholeNumber(1, 1_000_000).default(10_000),
  /** Hours after which a finished batch's rows are erased. */
  BATCH_TTL_HOURS: wholeNumber(1, 24 * 365).default(168),
  /** Rows in one queue job. */
  CHUNK_ROWS: wholeNumber(1, 10_000).default(1000),
  /** Chunks one worker process enriches at a time. */
  WORKER_CONCURRENCY: wholeNumber(1, 64).default(4),
  /** Queues this worker takes jobs from. */
  WORKER_QUEUES: z.string().default('enrich'),
  LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'),
});

type Environment = z.infer<typeof environment>;

export interface Config {
  readonly port: number;
  readonly host: string;
  readonly home: string;
  readonly databaseUrl: string | undefined;
  readonly redisUrl: string | undefined;
  readonly queueBackend: 'redis' | 'postgres';
  /** True where QUEUE_BACKEND was set by hand. */
  readonly queueBackendForced: boolean;
  readonly dataSource: string | undefined;
  readonly bootstrapKey: string | undefined;
  readonly geocoderUrl: string;
  readonly maxSyncQueries: number;
  readonly batchTtlHours: number;
  readonly chunkRows: number;
  readonly workerConcurrency: number;
  readonly workerQueues: readonly string[];
  readonly logLevel: Environment['LOG_LEVEL'];
}

/** Names every mistake at once; values of variables are never part of the message. */
export class ConfigError extends DomainError {
  readonly code = 'config';

  constructor(readonly mistakes: readonly string[]) {
    super(`wrong environment: ${mistakes.join('; ')}`);
  }
}

/** Checks the environment as a whole. @throws ConfigError that lists all mistakes */
export function readConfig(env: NodeJS.ProcessEnv = process.env): Config {
  const set = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined && value !== ''));
  const parsed = environment.safeParse(set);
  const mistakes = parsed.success ? [] : parsed.error.issues.map((issue) => `${issue.path.join('.')} ${issue.message}`);
  if (set.QUEUE_BACKEND === 'redis' && parsed.success && !set.REDIS_URL && set.DONORLENS_ROLE)
    mistakes.push('REDIS_URL is needed where QUEUE_BACKEND is redis');
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
    bootstrapKey: e.BOOTSTRAP_KEY,
    geocoderUrl: e.GEOCODER_URL,
    maxSyncQueries: e.MAX_SYNC_QUERIES,
    batchTtlHours: e.BATCH_TTL_HOURS,
    chunkRows: e.CHUNK_ROWS,
    workerConcurrency: e.WORKER_CONCURRENCY,
    workerQueues: Object.freeze(e.WORKER_QUEUES.split(',').map((queue) => queue.trim())),
    logLevel: e.LOG_LEVEL,
  });
}
