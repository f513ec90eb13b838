import { execFileSync, spawnSync } from 'node:child_process';
import { buildProgram } from '../program';
import { commandWords, SHELLS, completionScript } from './scripts';

const idle = { out: () => undefined, note: () => undefined, run: () => () => Promise.resolve() };
const commands = commandWords(buildProgram(idle));

/** Words that bash offers for the last of these words, which is incomplete. */
function offered(...words: string[]): string[] {
  const script = `${completionScript('bash', commands)}
    COMP_WORDS=(donorlens "$@"); COMP_CWORD=$(( \${#COMP_WORDS[@]} - 1 ))
    _donorlens; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const text = execFileSync('bash', ['-c', script, 'bash', ...words], { encoding: 'utf8' });
  return text.split('\n').filter((word) => word !== '');
}

describe('bash completion', () => {
  it('offers the commands, and the subcommands of a command', () => {
    expect(offered('que')).toEqual(['queues']);
    expect(offered('batch', '')).toEqual(expect.arrayContaining(['submit', 'list', 'preview', 'delete', 'cancel']));
    expect(offered('keys', 'web')).toEqual(['webhook-secret']);
  });

  it('offers only the options of the command', () => {
    expect(offered('batch', 'list', '--l')).toEqual(['--limit']);
    expect(offered('keys', 'list', '--lim')).toEqual([]);
  });

  it('offers the allowed values of an option and of an argument', () => {
    expect(offered('batch', 'submit', 'file.csv', '--type', '')).toEqual(['age_gender', 'ethnicity', 'contributions']);
    expect(offered('queues', 'pause', 'g')).toEqual(['geocode']);
    expect(offered('completion', '')).toEqual(expect.arrayContaining([...SHELLS]));
  });

  it('does not take the value of an option as a command, and leaves files to the shell', () => {
    expect(offered('batch', 'submit', '--output', 'list', '--ma')).toEqual(['--map']);
    expect(offered('batch', 'submit', '--output', '')).toEqual([]);
  });
});

describe('completion scripts', () => {
  it.each(SHELLS)('contain every command and option, for %s', (shell) => {
    const script = completionScript(shell, commands);
    for (const { path, options } of commands) {
      expect(script).toContain(path.split(' ').at(-1));
      for (const { long } of options) expect(script).toContain(shell === 'fish' ? `-l ${long.slice(2)}` : long);
    }
  });

  it('are valid bash', () => {
    const { status, stderr } = spawnSync('bash', ['-n'], { input: completionScript('bash', commands) });
    expect([status, stderr.toString()]).toEqual([0, '']);
  });
});
