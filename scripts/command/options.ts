import { parseArgs } from 'node:util';

/** One option of a command: how its value is parsed, and its default. */
export interface Option<T> {
  /** Placeholder of the value in the usage. */
  readonly takes: string;
  readonly fallback: T;
  /** @throws InvalidOption */
  readonly read: (text: string) => T;
}

export type Options = Readonly<Record<string, Option<unknown>>>;

export type ValuesOf<O extends Options> = { readonly [K in keyof O]: O[K] extends Option<infer T> ? T : never };

/** An invalid option; reported in one line before anything is started. */
export class InvalidOption extends Error {}

/** An integer of at least `least`. */
export const whole = <T extends number | undefined>(fallback: T, least = 0): Option<number | T> => ({
  takes: 'N',
  fallback,
  read: (text) => wholeNumber(text, least),
});

/** Integers separated by commas. */
export const wholes = (...fallback: readonly number[]): Option<readonly number[]> => ({
  takes: 'N[,N]',
  fallback,
  read: (text) => text.split(',').map((one) => wholeNumber(one, 0)),
});

/** A positive number, decimals allowed. */
export const amount = (fallback: number): Option<number> => ({
  takes: 'N',
  fallback,
  read(text) {
    if (!/^\d+(\.\d+)?$/.test(text) || Number(text) === 0) throw new InvalidOption(`a positive number, not ${text}`);
    return Number(text);
  },
});

export const oneOf = <T extends string>(among: readonly T[], fallback: T): Option<T> => ({
  takes: among.join('|'),
  fallback,
  read: (text) => known(among, text),
});

/** A subset of the given names, separated by commas; default: all of them. */
export const someOf = <T extends string>(among: readonly T[], fallback = among): Option<readonly T[]> => ({
  takes: among.join(','),
  fallback,
  read: (text) => text.split(',').map((one) => known(among, one)),
});

/** Any text, such as a path. */
export const text = <T extends string | undefined>(takes: string, fallback: T): Option<string | T> => ({
  takes,
  fallback,
  read: (given) => given,
});

/**
 * @param args - arguments of the command line
 * @throws InvalidOption
 */
export function parseOptions<O extends Options>(options: O, args: readonly string[]): ValuesOf<O> {
  const given = givenOf(options, args);
  const values = Object.entries(options).map(([name, { fallback, read }]) => {
    const text = given[name];
    return [name, text === undefined ? fallback : named(name, () => read(text))];
  });
  return Object.fromEntries(values) as ValuesOf<O>;
}

/** The usage of options: `--rows N --queue redis|postgres`. */
export const usageOf = (options: Options): string =>
  Object.entries(options)
    .map(([name, { takes }]) => `--${name} ${takes}`)
    .join(' ');

/** The command line that gives these values; options without a value are left out. */
export const formatOptions = (values: object): string =>
  Object.entries(values)
    .filter(([, value]) => value !== undefined && value !== '')
    .map(([name, value]) => `--${name} ${quoted(String(value))}`)
    .join(' ');

const quoted = (value: string): string => (/^[\w./,:-]+$/.test(value) ? value : `'${value}'`);

function givenOf(options: Options, args: readonly string[]): Readonly<Record<string, string | undefined>> {
  const types = Object.fromEntries(Object.keys(options).map((name) => [name, { type: 'string' as const }]));
  try {
    return parseArgs({ args: [...args], options: types }).values;
  } catch (error) {
    throw new InvalidOption((error as Error).message.split('. ')[0]);
  }
}

function named<T>(name: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw error instanceof InvalidOption ? new InvalidOption(`--${name} takes ${error.message}`) : error;
  }
}

function wholeNumber(text: string, least: number): number {
  const number = Number(text);
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(number) || number < least)
    throw new InvalidOption(`an integer of at least ${least}, not ${text}`);
  return number;
}

function known<T extends string>(among: readonly T[], text: string): T {
  const found = among.find((one) => one === text);
  if (found === undefined) throw new InvalidOption(`${among.join(', ')}, not ${text}`);
  return found;
}
