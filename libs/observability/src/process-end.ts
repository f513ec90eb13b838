import { ConfigError } from '@donorlens/config';
import { createLogger, type Logger } from './logger';

const WRONG_ENVIRONMENT = 2;
const DEPENDENCY = 3;

/** A start that failed ends in one line and an exit code: 2 for the environment, 3 for whatever it depends on. */
export function endFailedStart(role: string, error: unknown): never {
  const message = error instanceof Error ? error.message || error.name : String(error);
  createLogger(role, 'error').fatal(message);
  process.exit(error instanceof ConfigError ? WRONG_ENVIRONMENT : DEPENDENCY);
}

/** Nobody knows what state is left after an error that nobody expected: one line, then a new process. */
export function endOnUnexpected(logger: Logger): void {
  const end = (err: unknown): never => {
    logger.fatal({ err }, 'unexpected error');
    process.exit(1);
  };
  process.on('uncaughtException', end);
  process.on('unhandledRejection', end);
}

/** Orchestrators kill what has not ended 30 s after they asked for it. */
const LAST_MOMENT_MS = 25_000;

/**
 * Ends a process that was asked to end and still has something in hand, such as a download that its reader has stopped
 * to read. What is cut then begins again: transactions are rolled back, and clients ask once more. Call it once all
 * that listens to signals does.
 */
export function endInTime(logger: Logger, lastMomentMs = LAST_MOMENT_MS): void {
  const end = (): void => {
    logger.warn('what was in hand took too long to end with; ending');
    process.exit(0);
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const)
    process.once(signal, () => setTimeout(end, lastMomentMs).unref());
}
