import { type Command } from 'commander';
import { choiceArgument } from '../arguments';
import { EXIT } from '../exit-code';
import { type Context, examples } from '../program-context';
import { commandWords, SHELLS, type Shell, completionScript } from './scripts';

export function addCompletionCommand(program: Command, context: Context): void {
  program
    .command('completion')
    .description('print a shell completion script')
    .addArgument(choiceArgument('<shell>', 'which shell', SHELLS))
    .addHelpText(
      'after',
      examples(
        'bin/donorlens completion bash > ~/.local/share/bash-completion/completions/donorlens',
        'source <(bin/donorlens completion bash)',
        'bin/donorlens completion zsh > ~/.zfunc/_donorlens',
        'bin/donorlens completion fish > ~/.config/fish/completions/donorlens.fish',
      ),
    )
    .action(
      context.run((shell: Shell) => {
        context.out(completionScript(shell, commandWords(program)));
        return Promise.resolve(EXIT.ok);
      }),
    );
}
