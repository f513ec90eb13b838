import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigError } from '@donorlens/config';
import { CommanderError } from 'commander';
import { CliError, EXIT, EXIT_MEANINGS, exitCodeOf, exitCodesText, linesOf, usageError } from './exit-code';

describe('the exit code', () => {
  it('is 2 for a wrong option or variable and 0 for --help', () => {
    expect(exitCodeOf(usageError('no such file'))).toBe(2);
    expect(exitCodeOf(new ConfigError(['PORT must be a number']))).toBe(2);
    expect(exitCodeOf(new CommanderError(1, 'commander.unknownOption', 'unknown'))).toBe(2);
    expect(exitCodeOf(new CommanderError(0, 'commander.help', ''))).toBe(0);
  });

  it('is 3 if a dependency is unreachable, even if the cause is nested', () => {
    const refused = Object.assign(new Error('connect'), { code: 'ECONNREFUSED' });
    expect(exitCodeOf(refused)).toBe(3);
    expect(exitCodeOf(new AggregateError([refused]))).toBe(3);
    expect(exitCodeOf(new TypeError('fetch failed', { cause: refused }))).toBe(3);
  });

  it('has the same table of meanings in --help and in the documentation', () => {
    const page = readFileSync(join(__dirname, '../../../docs/command-line.md'), 'utf8');
    const inDocs = [...page.matchAll(/^\| (\d+) \| (.*) \|$/gm)].map(([, code, meaning]) => [Number(code), meaning]);
    expect(inDocs).toEqual(
      Object.entries(EXIT_MEANINGS).map(([name, text]) => [EXIT[name as keyof typeof EXIT], text]),
    );
    for (const [, meaning] of inDocs) expect(exitCodesText()).toContain(meaning);
  });

  it('is 1 for everything else', () => {
    expect(exitCodeOf(new Error('?'))).toBe(1);
    expect(exitCodeOf(new CliError('no'))).toBe(1);
    expect(exitCodeOf('text')).toBe(1);
  });
});

describe('the error message for the operator', () => {
  it('lists each mistake in the environment on its own line', () => {
    expect(linesOf(new ConfigError(['PORT a', 'HOST b']))).toEqual([
      'wrong environment: PORT a',
      'wrong environment: HOST b',
    ]);
  });

  it('is one line, even if the message of the error has several', () => {
    expect(linesOf(new Error('first\nsecond'))).toEqual(['first']);
    expect(linesOf(new AggregateError([new Error('inner')], ''))).toEqual(['inner']);
  });
});
