import {
  amount,
  BadOption,
  flag,
  inEffect,
  oneOf,
  someOf,
  text,
  usageOf,
  valuesOf,
  whole,
  wholes,
} from '../../scripts/proof/options';
import { part, type Report, runPart } from '../../scripts/proof/report';

const OPTIONS = {
  rows: whole(1_000, 1),
  seed: wholes(1),
  minutes: amount(30),
  queue: oneOf(['redis', 'postgres'], 'redis'),
  only: someOf(['names', 'ages']),
  details: text('FILE', undefined),
  pgbouncer: flag,
};
const read = (line: string): unknown => valuesOf(OPTIONS, line === '' ? [] : line.split(' '));

describe('the options of a part', () => {
  it('are what is said otherwise, where nothing is', () =>
    expect(read('')).toEqual({
      rows: 1_000,
      seed: [1],
      minutes: 30,
      queue: 'redis',
      only: ['names', 'ages'],
      details: undefined,
      pgbouncer: false,
    }));

  it('are what is given', () =>
    expect(
      read('--rows 20 --seed 3,4 --minutes 0.5 --queue postgres --only ages --details a.json --pgbouncer'),
    ).toEqual({
      rows: 20,
      seed: [3, 4],
      minutes: 0.5,
      queue: 'postgres',
      only: ['ages'],
      details: 'a.json',
      pgbouncer: true,
    }));

  it.each([
    ['--rows many', '--rows takes a whole number from 1 on, not many'],
    ['--rows 0', '--rows takes a whole number from 1 on, not 0'],
    ['--rows 1e6', '--rows takes a whole number from 1 on, not 1e6'],
    ['--rows 99999999999999999999', '--rows takes a whole number from 1 on, not 99999999999999999999'],
    ['--seed 1,', '--seed takes a whole number from 0 on, not '],
    ['--minutes 0', '--minutes takes a number above 0, not 0'],
    ['--minutes -1', /^Option '--minutes' argument is ambiguous/],
    ['--queue kafka', '--queue takes redis, postgres, not kafka'],
    ['--only ages,toString', '--only takes names, ages, not toString'],
    ['--rows', /^Option '--rows <value>' argument missing/],
    ['--row 1', /^Unknown option '--row'/],
    ['1000', /^Unexpected argument '1000'/],
  ])('are refused in a line: %s', (line, message) => {
    expect(() => read(line)).toThrow(BadOption);
    expect(() => read(line)).toThrow(typeof message === 'string' ? new BadOption(message) : message);
  });

  it.each(['', '--rows 5 --seed 3,4 --pgbouncer', '--only ages --details changes.json'])(
    'can be written so that they mean the same again: %s',
    (line) => expect(read(inEffect(read(line) as object))).toEqual(read(line)),
  );

  it('are written as they are given', () =>
    expect(usageOf(OPTIONS)).toBe(
      '--rows N --seed N[,N] --minutes N --queue redis|postgres --only names,ages --details FILE --pgbouncer',
    ));
});

describe('a part that is asked for what it does not take', () => {
  it('does not begin, and says so', async () => {
    const begun = jest.fn<Promise<Report>, [unknown]>();
    const said = jest.spyOn(process.stderr, 'write').mockReturnValue(true);
    const made = part({ what: 'nothing', options: OPTIONS, run: begun });
    try {
      await expect(runPart('proof', { made }, 'made', ['--rows', 'many'])).resolves.toBe(2);
      expect(said.mock.calls).toEqual([['--rows takes a whole number from 1 on, not many\n']]);
      expect(begun).not.toHaveBeenCalled();
    } finally {
      said.mockRestore();
    }
  });
});
