import { type ClientConfig, readClientConfig } from '@donorlens/config';
import { type ExitCode, EXIT } from './exit-code';
import { Home } from './home/home';

/** Output functions and exit handling, passed to every command. */
export interface Context {
  /** Writes data to standard output. */
  readonly out: (text: string) => void;
  /** Writes messages for the user to standard error. */
  readonly note: (text: string) => void;
  /** Wraps the action of a command; its return value becomes the exit code of the process. */
  run<Args extends unknown[]>(work: (...args: Args) => Promise<ExitCode>): (...args: Args) => Promise<void>;
}

interface ClientContext {
  readonly config: ClientConfig;
  readonly home: Home;
}

export function clientContext(): ClientContext {
  const config = readClientConfig();
  return { config, home: new Home(config.home) };
}

export const examples = (...lines: string[]): string => `\nExamples:\n${lines.map((line) => `  $ ${line}`).join('\n')}`;

/** Formats a text table. Each column is as wide as its widest cell, and two spaces separate columns. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [head, ...rows];
  const widths = head.map((_, column) => Math.max(...all.map((row) => (row[column] ?? '').length)));
  return all
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/**
 * Runs work that Ctrl-C or SIGTERM interrupts: both abort the signal, which cancels requests. The exit code is 130.
 * @param work - may set the line that is shown after an interruption
 */
export async function interruptible(
  work: (signal: AbortSignal, onInterrupt: (line: string) => void) => Promise<ExitCode>,
  context: Context,
): Promise<ExitCode> {
  const stop = new AbortController();
  const abort = () => stop.abort();
  let line = 'interrupted';
  process.on('SIGINT', abort).on('SIGTERM', abort);
  try {
    return await work(stop.signal, (text) => (line = `interrupted; ${text}`));
  } catch (error) {
    if (!stop.signal.aborted) throw error;
    context.note(line);
    return EXIT.interrupted;
  } finally {
    process.removeListener('SIGINT', abort).removeListener('SIGTERM', abort);
  }
}
