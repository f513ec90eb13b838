import {
  amount,
  InvalidOption,
  formatOptions,
  oneOf,
  someOf,
  text,
  usageOf,
  parseOptions,
  whole,
  wholes,
} from '../../scripts/command/options';
import { command, type Report, runCommand } from '../../scripts/command/report';

const OPTIONS = {
  rows: whole(1_000, 1),
  seed: wholes(1),
  minutes: amount(30),
  queue: oneOf(['redis', 'postgres'], 'redis'),
  only: someOf(['names', 'ages']),
  details: text('FILE', undefined),
};
const read = (line: string): unknown => parseOptions(OPTIONS, line === '' ? [] : line.split(' '));

describe('the options of a command', () => {
  it('have defaults', () =>
    expect(read('')).toEqual({
      rows: 1_000,
      seed: [1],
      minutes: 30,
      queue: 'redis',
      only: ['names', 'ages'],
      details: undefined,
    }));

  it('are parsed', () =>
    expect(read('--rows 20 --seed 3,4 --minutes 0.5 --queue postgres --only ages --details a.json')).toEqual({
      rows: 20,
      seed: [3, 4],
      minutes: 0.5,
      queue: 'postgres',
      only: ['ages'],
      details: 'a.json',
    }));

  it.each([
    ['--rows many', '--rows takes an integer of at least 1, not many'],
    ['--rows 0', '--rows takes an integer of at least 1, not 0'],
    ['--rows 1e6', '--rows takes an integer of at least 1, not 1e6'],
    ['--rows 99999999999999999999', '--rows takes an integer of at least 1, not 99999999999999999999'],
    ['--seed 1,', '--seed takes an integer of at least 0, not '],
    ['--minutes 0', '--minutes takes a positive number, not 0'],
    ['--minutes -1', /^Option '--minutes' argument is ambiguous/],
    ['--queue kafka', '--queue takes redis, postgres, not kafka'],
    ['--only ages,toString', '--only takes names, ages, not toString'],
    ['--rows', /^Option '--rows <value>' argument missing/],
    ['--row 1', /^Unknown option '--row'/],
    ['1000', /^Unexpected argument '1000'/],
  ])('are refused with one line: %s', (line, message) => {
    expect(() => read(line)).toThrow(InvalidOption);
    expect(() => read(line)).toThrow(typeof message === 'string' ? new InvalidOption(message) : message);
  });

  it.each(['', '--rows 5 --seed 3,4', '--only ages --details changes.json'])(
    'are formatted so that they parse to the same values: %s',
    (line) => expect(read(formatOptions(read(line) as object))).toEqual(read(line)),
  );

  it('have a usage', () =>
    expect(usageOf(OPTIONS)).toBe(
      '--rows N --seed N[,N] --minutes N --queue redis|postgres --only names,ages --details FILE',
    ));
});

describe('a command with an invalid option', () => {
  it('does not start, and reports it', async () => {
    const begun = jest.fn<Promise<Report>, [unknown]>();
    const said = jest.spyOn(process.stderr, 'write').mockReturnValue(true);
    const made = command({ what: 'nothing', options: OPTIONS, run: begun });
    try {
      await expect(runCommand('resilience', { made }, 'made', ['--rows', 'many'])).resolves.toBe(2);
      expect(said.mock.calls).toEqual([['--rows takes an integer of at least 1, not many\n']]);
      expect(begun).not.toHaveBeenCalled();
    } finally {
      said.mockRestore();
    }
  });
});
