import { type ClientConfig, readClientConfig } from '@donorlens/config';
import { type ExitCode, EXIT } from './exit-code';
import { Home } from './home/home';

/** What every command gets: where to write, and how to end. */
export interface Context {
  /** Data, for a pipe. */
  readonly out: (text: string) => void;
  /** Everything else, for the eye. */
  readonly note: (text: string) => void;
  /** Wraps a command's work; the code it returns becomes the process's. */
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

/** Columns as wide as their widest cell, two blanks between them. */
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
 * Runs work that Ctrl-C interrupts: the signal is aborted, requests in flight are cancelled, and the exit code is 130.
 * @param work - may set the line that is shown on an interruption
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
