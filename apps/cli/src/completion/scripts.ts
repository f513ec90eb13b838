import { type Argument, type Command, type Option } from 'commander';

export const SHELLS = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof SHELLS)[number];

/** Generates the completion script of a shell from the current commands. */
export function completionScript(shell: Shell, commands: readonly CommandWords[]): string {
  if (shell === 'fish') return fish(commands);
  return `${shell === 'zsh' ? '#compdef donorlens\n' : ''}${tables(commands)}\n${shell === 'zsh' ? ZSH : BASH}`;
}

/** Lookup functions for bash and zsh: words after a command, subcommands, option values, and options with a value. */
function tables(commands: readonly CommandWords[]): string {
  const words = commands.map(({ path, subcommands, options, values }): Row => [
    path,
    [...subcommands, ...values, ...options.map(({ long }) => long)],
  ]);
  const valued = commands.flatMap(({ path, options }) =>
    options
      .filter(({ takesValue }) => takesValue)
      .flatMap(({ long, short, values }) => [long, short ?? []].flat().map((flag): Row => [`${path} ${flag}`, values])),
  );
  const nested = commands.map(({ path, subcommands }): Row => [path, subcommands]);
  return [lookup('words', words), lookup('subcommands', nested), lookup('values', valued), TAKES(valued)].join('\n');
}

type Row = readonly [key: string, words: readonly string[]];

function lookup(name: string, rows: readonly Row[]): string {
  const lines = rows
    .filter(([, words]) => words.length > 0)
    .map(([key, words]) => `    '${key.trim()}') echo '${words.join(' ')}' ;;`);
  return `_donorlens_${name}() {\n  case "$1" in\n${lines.join('\n')}\n  esac\n}`;
}

const TAKES = (valued: readonly Row[]): string =>
  `_donorlens_takes_value() {\n  case "$1" in\n    ${valued.map(([key]) => `'${key.trim()}'`).join('|')}) return 0 ;;\n  esac\n  return 1\n}`;

/** Finds the command that the words before the cursor name. Values of options are skipped. */
const WALK = `    if [ -n "$skip" ]; then skip=; continue; fi
    key="$at $word"; key="\${key# }"
    if _donorlens_takes_value "$key"; then skip=1; continue; fi
    case " $(_donorlens_subcommands "$at") " in *" $word "*) at="$key" ;; esac`;

const BASH = `_donorlens() {
  local at= skip= key word i current="\${COMP_WORDS[COMP_CWORD]}" before="\${COMP_WORDS[COMP_CWORD-1]}"
  for ((i = 1; i < COMP_CWORD; i++)); do
    word="\${COMP_WORDS[i]}"
${WALK}
  done
  key="$at $before"; key="\${key# }"
  if [ -n "$skip" ]; then
    COMPREPLY=($(compgen -W "$(_donorlens_values "$key")" -- "$current"))
  else
    COMPREPLY=($(compgen -W "$(_donorlens_words "$at")" -- "$current"))
  fi
}
complete -o default -F _donorlens donorlens
`;

const ZSH = `_donorlens() {
  local at= skip= key word before="\${words[CURRENT-1]}"
  local -a found
  for word in "\${(@)words[2,CURRENT-1]}"; do
${WALK}
  done
  key="$at $before"; key="\${key# }"
  if [ -n "$skip" ]; then found=(\${=$(_donorlens_values "$key")}); else found=(\${=$(_donorlens_words "$at")}); fi
  if [ \${#found} -gt 0 ]; then compadd -a found; else _files; fi
}
if [ "\${funcstack[1]}" = _donorlens ]; then _donorlens "$@"; else compdef _donorlens donorlens; fi
`;

function fish(commands: readonly CommandWords[]): string {
  const described = new Map(commands.map(({ path, description }) => [path, description]));
  const lines = commands.flatMap(({ path, subcommands, options, values }) => {
    const here = fishCondition(path, subcommands);
    return [
      ...subcommands.map((name) => line(here, `-f -a ${name}`, described.get(`${path} ${name}`.trim()) ?? '')),
      ...(values.length > 0 ? [line(here, `-f -a '${values.join(' ')}'`, '')] : []),
      ...options.map(({ long, short, takesValue, values: choices, description }) =>
        line(
          here,
          [
            `-l ${long.slice(2)}`,
            ...(short ? [`-s ${short.slice(1)}`] : []),
            ...(choices.length > 0 ? [`-x -a '${choices.join(' ')}'`] : takesValue ? ['-r'] : []),
          ].join(' '),
          description,
        ),
      ),
    ];
  });
  return `${lines.join('\n')}\n`;
}

const line = (condition: string, what: string, description: string): string =>
  `complete -c donorlens -n '${condition}' ${what}${description ? ` -d '${description.replaceAll(/['\\]/g, '\\$&')}'` : ''}`;

/** Condition that is true if the user has typed all words of the path and no subcommand below it. */
function fishCondition(path: string, subcommands: readonly string[]): string {
  const seen = path.split(' ').filter(Boolean);
  const below = subcommands.length > 0 ? [`not __fish_seen_subcommand_from ${subcommands.join(' ')}`] : [];
  return [...seen.map((word) => `__fish_seen_subcommand_from ${word}`), ...below].join('; and ') || 'true';
}

/** Words that the user can type after a command. */
interface CommandWords {
  /** Full name of the command without the program name, such as `keys issue`; empty for the program itself. */
  readonly path: string;
  readonly description: string;
  readonly subcommands: readonly string[];
  readonly options: readonly OptionWords[];
  /** Allowed values of the first argument; empty if it accepts any value. */
  readonly values: readonly string[];
}

interface OptionWords {
  readonly long: string;
  readonly short: string | null;
  readonly description: string;
  readonly takesValue: boolean;
  readonly values: readonly string[];
}

/** Lists the program itself, then all of its commands. */
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
