import { z } from 'zod';
import { parsedWithoutCoordinates } from './json';

const MOST_SHOWN = 12;
const name = z.string().regex(/^\w{1,64}$/);
const id = z.union([z.string(), z.number()]).transform(String);
const benchmarks = z.object({ benchmarks: z.array(z.object({ id, benchmarkName: name })).min(1) });
const vintages = z.object({ vintages: z.array(z.object({ id, vintageName: name })).min(1) });

/** What the service may be asked for: its name or its number. */
export interface Setting {
  readonly id: string;
  readonly name: string;
}

/** @returns null for another shape */
export function readBenchmarks(text: string): readonly Setting[] | null {
  const answer = benchmarks.safeParse(parsedWithoutCoordinates(text));
  return answer.success ? answer.data.benchmarks.map((one) => ({ id: one.id, name: one.benchmarkName })) : null;
}

/** @returns null for another shape */
export function readVintages(text: string): readonly Setting[] | null {
  const answer = vintages.safeParse(parsedWithoutCoordinates(text));
  return answer.success ? answer.data.vintages.map((one) => ({ id: one.id, name: one.vintageName })) : null;
}

/**
 * Why a setting is refused; null where it is one of the known ones, or where these are not known.
 * @param benchmark  whose vintages these are
 */
export function refusal(
  what: 'benchmark' | 'vintage',
  value: string,
  known: readonly Setting[] | null,
  benchmark?: string,
): string | null {
  if (known === null || known.some((one) => one.id === value || one.name === value)) return null;
  const shown = known.slice(0, MOST_SHOWN).map((one) => one.name);
  const more = known.length > shown.length ? ' and others' : '';
  const where = benchmark === undefined ? '' : ` for the benchmark ${benchmark}`;
  return `the geocoder has no ${what} ${value}${where}; it has ${shown.join(', ')}${more}`;
}
