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
