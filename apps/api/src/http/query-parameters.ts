import { type Fault, invalidRequest } from './problem';

export type QueryParameters = Readonly<Record<string, string | string[] | undefined>>;

export const MAX_VALUES = 100;
/** Some query parsers silently drop further pairs; this API refuses them. */
const MAX_PAIRS = 1000;

/** @throws Problem 400 if the query string is not percent-encoded UTF-8 or has too many pairs or values of one name */
export function checkQueryString(url: string, query: QueryParameters): void {
  const start = url.indexOf('?');
  if (start < 0) return;
  if (!isDecodable(url.slice(start)))
    throw invalidRequest([{ pointer: '/query', detail: 'must be percent-encoded UTF-8' }]);
  let pairs = 1;
  for (let at = url.indexOf('&', start); at >= 0; at = url.indexOf('&', at + 1)) pairs++;
  if (pairs > MAX_PAIRS) throw invalidRequest([{ pointer: '/query', detail: `at most ${MAX_PAIRS} parameters` }]);
  if (pairs <= MAX_VALUES) return;
  for (const values of Object.values(query))
    if (Array.isArray(values) && values.length > MAX_VALUES)
      throw invalidRequest([{ pointer: '/query', detail: `at most ${MAX_VALUES} values of one parameter` }]);
}

function isDecodable(text: string): boolean {
  try {
    return !text.includes('%') || decodeURIComponent(text) !== '';
  } catch {
    return false;
  }
}

/** Reads parameters and collects all that are invalid, so that one response names them all. */
export class ParameterReader {
  private readonly faults: Fault[] = [];

  constructor(private readonly query: QueryParameters) {}

  text(name: string): string | undefined {
    const value = this.query[name];
    if (Array.isArray(value)) this.wrong(name, 'may be given once');
    return typeof value === 'string' && value !== '' ? value : undefined;
  }

  /** All values of a repeatable parameter, in their order. */
  values(name: string): readonly string[] {
    const value = this.query[name];
    if (value === undefined) return [];
    const values = [value].flat();
    if (values.includes('')) this.wrong(name, 'must not be empty');
    return values.filter((one) => one !== '');
  }

  flag(name: string): boolean {
    const value = this.text(name);
    if (value !== undefined && !['true', 'false', '1', '0'].includes(value)) this.wrong(name, 'must be true or false');
    return value === 'true' || value === '1';
  }

  wholeNumber(name: string, least: number, most: number): number | undefined {
    const value = this.text(name);
    if (value === undefined) return undefined;
    const number = /^\d{1,9}$/.test(value) ? Number(value) : NaN;
    if (number >= least && number <= most) return number;
    this.wrong(name, `must be a whole number from ${least} to ${most}`);
    return undefined;
  }

  oneOf<T extends string>(name: string, choices: readonly T[]): T | undefined {
    const value = this.text(name);
    const choice = choices.find((one) => one === value);
    if (value !== undefined && choice === undefined) this.wrong(name, `must be one of ${choices.join(', ')}`);
    return choice;
  }

  wrong(name: string, detail: string): void {
    this.faults.push({ pointer: `/query/${name}`, detail });
  }

  /** @throws Problem 400 that lists all invalid parameters */
  finish(): void {
    if (this.faults.length > 0) throw invalidRequest(this.faults);
  }
}
