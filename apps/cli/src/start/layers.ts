import { type Config, QUEUE_NEEDS_SESSIONS, isPooled } from '@donorlens/config';
import { dependencyError } from '../exit-code';

/** The database and the queue that this start uses, each with the reason for the log. */
export interface Layers {
  readonly database: { readonly kind: 'given' | 'embedded'; readonly reason: string };
  readonly queue: { readonly kind: 'given-redis' | 'own-redis' | 'postgres'; readonly reason: string };
}

type Choice = Pick<Config, 'databaseUrl' | 'redisUrl' | 'queueBackend' | 'queueBackendForced'>;

/**
 * Chooses the database and the queue. An external server is used only if a variable names it.
 * @param redisServer - path of a redis-server binary; null if there is none
 */
export function chooseLayers(config: Choice, redisServer: string | null): Layers {
  return {
    database: config.databaseUrl
      ? { kind: 'given', reason: 'DATABASE_URL is set' }
      : { kind: 'embedded', reason: 'DATABASE_URL is not set' },
    queue: chooseQueue(config, redisServer),
  };
}

function chooseQueue(config: Choice, redisServer: string | null): Layers['queue'] {
  if (config.queueBackendForced && config.queueBackend === 'postgres')
    return { kind: 'postgres', reason: 'QUEUE_BACKEND is postgres' };
  if (config.redisUrl) return { kind: 'given-redis', reason: 'REDIS_URL is set' };
  if (redisServer) return { kind: 'own-redis', reason: `REDIS_URL is not set, ${redisServer} is there` };
  if (config.queueBackendForced)
    throw dependencyError(
      'QUEUE_BACKEND is redis, but REDIS_URL is not set and there is no redis-server on the PATH: set one of them, or QUEUE_BACKEND=postgres',
    );
  if (config.databaseUrl && isPooled(config.databaseUrl)) throw dependencyError(QUEUE_NEEDS_SESSIONS);
  return { kind: 'postgres', reason: 'REDIS_URL is not set and there is no redis-server on the PATH' };
}

/** True if the search for a redis-server can change the choice. */
export const needsRedisServer = (config: Choice): boolean =>
  !config.redisUrl && !(config.queueBackendForced && config.queueBackend === 'postgres');

/** Folders in which to search for installed programs, in the form of PATH. */
export const searchPath = (env: NodeJS.ProcessEnv = process.env): string => env.PATH ?? '';
