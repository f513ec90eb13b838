import { type Argument, type Command, type Option } from 'commander';

/** What can be written after a command. */
export interface CommandWords {
  /** Words from the program's name to the command's, without the program's: `keys issue`; empty for the program. */
  readonly path: string;
  readonly description: string;
  readonly subcommands: readonly string[];
  readonly options: readonly OptionWords[];
  /** Values of its first argument, where they are known. */
  readonly values: readonly string[];
}

export interface OptionWords {
  readonly long: string;
  readonly short: string | null;
  readonly description: string;
  readonly takesValue: boolean;
  readonly values: readonly string[];
}

/** Every command of a program, the program itself first. */
export function commandWords(program: Command, path = ''): readonly CommandWords[] {
  const { commands, options } = visible(program);
  const own = {
    path,
    description: program.description(),
    subcommands: commands.map((command) => command.name()),
    options: options.map(optionWords),
    values: valuesOf(program.registeredArguments[0]),
  };
  return [own, ...commands.flatMap((command) => commandWords(command, `${path} ${command.name()}`.trim()))];
}

const visible = (command: Command): { commands: readonly Command[]; options: readonly Option[] } => {
  const help = command.createHelp();
  return { commands: help.visibleCommands(command), options: help.visibleOptions(command) };
};

const optionWords = (option: Option): OptionWords => ({
  long: option.long ?? '',
  short: option.short ?? null,
  description: option.description,
  takesValue: option.required || option.optional,
  values: valuesOf(option),
});

const valuesOf = (of: Argument | Option | undefined): readonly string[] => of?.argChoices ?? [];
