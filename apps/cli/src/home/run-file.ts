import { type Home, readPrivate, writePrivate } from './home';
import { identityOf } from './process-identity';

/** What a running `npm start` tells the other commands. Readable by its owner only: the URLs may hold passwords. */
export interface RunInfo {
  readonly pid: number;
  readonly identity: string | null;
  readonly url: string;
  readonly databaseUrl: string;
  readonly redisUrl: string | null;
  readonly queue: 'redis' | 'postgres';
  readonly startedAt: string;
  /** Process ids of the roles and of our own servers, kept up to date as they are started again. */
  readonly processes: Readonly<Record<string, number>>;
}

export const writeRunInfo = (home: Home, info: RunInfo): void => writePrivate(home.run, JSON.stringify(info, null, 2));

/** True where the last start could not tidy up. */
export const wasKilled = (home: Home): boolean => readPrivate(home.run) !== null;

/** The run on this home, null where none runs: a file left by a crash does not count. */
export function readRunInfo(home: Home): RunInfo | null {
  try {
    const info = JSON.parse(readPrivate(home.run) ?? 'null') as RunInfo | null;
    return info !== null && identityOf(info.pid) === info.identity ? info : null;
  } catch {
    return null;
  }
}
