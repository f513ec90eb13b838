import { ConfigError } from '@donorlens/config';
import { DomainError } from '@donorlens/primitives';
import { CommanderError } from 'commander';

/** Exit codes that scripts rely on. */
export const EXIT = {
  ok: 0,
  failed: 1,
  /** An option, argument, file or environment variable is wrong; the command started nothing. */
  usage: 2,
  /** A dependency is missing: database, queue, service, port, data folder. */
  dependency: 3,
  /** Finished but incomplete: some rows are invalid, failed or waiting, or a request is not completed yet. */
  partial: 4,
  interrupted: 130,
} as const;
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** Shown by --help and in docs/command-line.md. */
export const EXIT_MEANINGS: Readonly<Record<keyof typeof EXIT, string>> = {
  ok: 'done',
  failed: 'failed: the message says why, and what to do',
  usage: 'wrong option, argument, file or environment variable; nothing was started',
  dependency: 'a dependency is missing or not ready: service, database, queue, port, data folder',
  partial: 'incomplete: rows are invalid, failed or waiting for their address, or a request is not completed yet',
  interrupted: 'interrupted by Ctrl-C',
};

export const exitCodesText = (): string =>
  [
    'Exit codes:',
    ...Object.entries(EXIT).map(
      ([name, code]) => `  ${String(code).padEnd(4)} ${EXIT_MEANINGS[name as keyof typeof EXIT]}`,
    ),
  ].join('\n');

/** An error with a one-line message and an exit code. */
export class CliError extends Error {
  constructor(
    message: string,
    readonly exitCode: ExitCode = EXIT.failed,
  ) {
    super(message);
    this.name = 'CliError';
  }
}

export const usageError = (message: string): CliError => new CliError(message, EXIT.usage);
export const dependencyError = (message: string): CliError => new CliError(message, EXIT.dependency);

/** Error codes of Node.js, undici and Postgres for a service that cannot be reached. */
const UNREACHABLE = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EPIPE',
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_SOCKET',
  '28P01', // wrong password
  '3D000', // no such database
  '53300', // too many connections
  '57P03', // the server is starting
]);
/** Collects the codes of an error and of its nested errors and causes. */
function codesOf(error: unknown): string[] {
  if (typeof error !== 'object' || error === null) return [];
  const inner = [...('errors' in error && Array.isArray(error.errors) ? (error.errors as unknown[]) : [])];
  if ('cause' in error) inner.push(error.cause);
  return [codeOf(error) ?? '', ...inner.flatMap(codesOf)];
}

/** Names of lib errors about a missing dependency. Names, so that a command loads only the libs that it uses. */
const DEPENDENCY_ERRORS = new Set([
  'LocalServerError',
  'SchemaError',
  'EvictingRedisError',
  'OldRedisError',
  'QueueAwayError',
  'SourceError',
]);

export const isUnreachable = (error: unknown): boolean => codesOf(error).some((code) => UNREACHABLE.has(code));

export function exitCodeOf(error: unknown): ExitCode {
  if (error instanceof CliError) return error.exitCode;
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
  if (error instanceof ConfigError) return EXIT.usage;
  if (error instanceof DomainError && DEPENDENCY_ERRORS.has(error.name)) return EXIT.dependency;
  return isUnreachable(error) ? EXIT.dependency : EXIT.failed;
}

/** Error messages for the operator: one line per mistake, without a stack trace. */
export function linesOf(error: unknown): string[] {
  if (error instanceof ConfigError) return error.mistakes.map((mistake) => `wrong environment: ${mistake}`);
  if (error instanceof AggregateError && error.message === '') return linesOf(error.errors[0]);
  return [messageOf(error).split('\n')[0] || 'failed without a message'];
}

/** The `code` of an error of Node, Postgres or donorlens; undefined if it has none. */
export function codeOf(error: unknown): string | undefined {
  return typeof error === 'object' && error !== null && 'code' in error && typeof error.code === 'string'
    ? error.code
    : undefined;
}

/** Message of any thrown value. */
export function messageOf(error: unknown): string {
  const known = typeof error === 'object' && error !== null && 'message' in error && typeof error.message === 'string';
  return known ? (error.message as string) : String(error);
}
