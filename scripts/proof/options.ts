import { parseArgs } from 'node:util';

/** One option of a part: how what is said after it is read, and what holds where it is not said. */
export interface Option<T> {
  /** What stands after it, for the list of parts; none for a flag, which stands alone. */
  readonly takes?: string;
  readonly otherwise: T;
  /** @throws BadOption */
  readonly read: (text: string) => T;
}

export type Options = Readonly<Record<string, Option<unknown>>>;

export type ValuesOf<O extends Options> = { readonly [K in keyof O]: O[K] extends Option<infer T> ? T : never };

/** What was asked for is not there: said in a line, before anything is started. */
export class BadOption extends Error {}

/** A whole number from 0 on; from `least` on, where that is said. */
export const whole = <T extends number | undefined>(otherwise: T, least = 0): Option<number | T> => ({
  takes: 'N',
  otherwise,
  read: (text) => wholeNumber(text, least),
});

/** Whole numbers with commas between them. */
export const wholes = (...otherwise: readonly number[]): Option<readonly number[]> => ({
  takes: 'N[,N]',
  otherwise,
  read: (text) => text.split(',').map((one) => wholeNumber(one, 0)),
});

/** A number above 0, which may have decimals. */
export const amount = (otherwise: number): Option<number> => ({
  takes: 'N',
  otherwise,
  read(text) {
    if (!/^\d+(\.\d+)?$/.test(text) || Number(text) === 0) throw new BadOption(`a number above 0, not ${text}`);
    return Number(text);
  },
});

export const oneOf = <T extends string>(among: readonly T[], otherwise: T): Option<T> => ({
  takes: among.join('|'),
  otherwise,
  read: (text) => known(among, text),
});

/** Some of a few names, with commas between them; all of them, where nothing else is said. */
export const someOf = <T extends string>(among: readonly T[], otherwise = among): Option<readonly T[]> => ({
  takes: among.join(','),
  otherwise,
  read: (text) => text.split(',').map((one) => known(among, one)),
});

/** Any text, such as the path of a file. */
export const text = <T extends string | undefined>(takes: string, otherwise: T): Option<string | T> => ({
  takes,
  otherwise,
  read: (given) => given,
});

export const flag: Option<boolean> = { otherwise: false, read: () => true };

/**
 * @param args what stands on the command line
 * @throws BadOption
 */
export function valuesOf<O extends Options>(options: O, args: readonly string[]): ValuesOf<O> {
  const given = givenOf(options, args);
  const values = Object.entries(options).map(([name, { otherwise, read }]) => {
    const said = given[name];
    return [name, said === undefined ? otherwise : named(name, () => read(said))];
  });
  return Object.fromEntries(values) as ValuesOf<O>;
}

/** Options as they are written: `--rows N --queue redis|postgres --pgbouncer`. */
export const usageOf = (options: Options): string =>
  Object.entries(options)
    .map(([name, { takes }]) => (takes === undefined ? `--${name}` : `--${name} ${takes}`))
    .join(' ');

/** Options as they would have to be written for these values, those that have none left out. */
export const inEffect = (values: object): string =>
  Object.entries(values)
    .filter(([, value]) => value !== undefined && value !== false && value !== '')
    .map(([name, value]) => (value === true ? `--${name}` : `--${name} ${quoted(String(value))}`))
    .join(' ');

const quoted = (value: string): string => (/^[\w./,:-]+$/.test(value) ? value : `'${value}'`);

function givenOf(options: Options, args: readonly string[]): Readonly<Record<string, string | undefined>> {
  const types: Record<string, { type: 'string' | 'boolean' }> = {};
  for (const [name, { takes }] of Object.entries(options))
    types[name] = { type: takes === undefined ? 'boolean' : 'string' };
  try {
    const { values } = parseArgs({ args: [...args], options: types });
    return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, String(value)]));
  } catch (error) {
    throw new BadOption((error as Error).message.split('. ')[0]);
  }
}

function named<T>(name: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw error instanceof BadOption ? new BadOption(`--${name} takes ${error.message}`) : error;
  }
}

function wholeNumber(text: string, least: number): number {
  const number = Number(text);
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(number) || number < least)
    throw new BadOption(`a whole number from ${least} on, not ${text}`);
  return number;
}

function known<T extends string>(among: readonly T[], text: string): T {
  const found = among.find((one) => one === text);
  if (found === undefined) throw new BadOption(`${among.join(', ')}, not ${text}`);
  return found;
}
