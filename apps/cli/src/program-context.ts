import { type ClientConfig, readClientConfig } from '@donorlens/config';
import { type Command } from 'commander';
import { type ExitCode } from './exit-code';
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

export interface ClientContext {
  readonly config: ClientConfig;
  readonly home: Home;
}

export function clientContext(): ClientContext {
  const config = readClientConfig();
  return { config, home: new Home(config.home) };
}

export const examples = (...lines: string[]): string => `\nExamples:\n${lines.map((line) => `  $ ${line}`).join('\n')}`;

export type AddCommands = (program: Command, context: Context) => void;
