import { z } from 'zod';
import { type Candidate, type Geography } from '../geocoder';
import { GeocoderError } from '../geocoder-error';
import { isAddress } from './batch-answer';

/** Members that are dropped while parsing: coordinates, interior points, centroids. */
const IS_COORDINATE = /^(?:coordinates|INTPT(?:LAT|LON)|CENT(?:LAT|LON))$/;

/**
 * The value of a JSON text without its coordinates; undefined if it is invalid. Errors of the parser would quote the
 * text.
 */
export function parsedWithoutCoordinates(text: string): unknown {
  try {
    return JSON.parse(text, (key, value: unknown) => (IS_COORDINATE.test(key) ? undefined : value));
  } catch {
    return undefined;
  }
}

const feature = z.object({ GEOID: z.string().optional(), status: z.unknown().optional() });
const layers = z.record(z.string(), z.union([z.array(feature), feature.transform((one) => [one])]));
const addressAnswer = z.object({
  result: z.object({
    addressMatches: z.array(
      z.object({ matchedAddress: z.string().refine(isAddress), geographies: layers.default({}) }),
    ),
  }),
});
type Layers = z.infer<typeof layers>;

/**
 * From the finest layer on. The block layer's name begins with a year in some vintages. Older blocks may end in a
 * letter.
 */
const LAYERS = [
  { name: /Census Blocks$/, geoid: /^(\d{5})(\d{6})(\d{4})[A-Z]?$/ },
  { name: /^Census Tracts$/, geoid: /^(\d{5})(\d{6})$/ },
  { name: /^Counties$/, geoid: /^(\d{5})$/ },
];

/**
 * The addresses that match a single one equally well.
 * @param text - the body
 * @throws GeocoderError `not_json` for another shape; `layer_error` if a layer holds a status instead of features
 */
export function readAddressAnswer(text: string): readonly Candidate[] {
  const answer = addressAnswer.safeParse(parsedWithoutCoordinates(text));
  if (!answer.success) throw new GeocoderError('not_json');
  return answer.data.result.addressMatches.map(({ matchedAddress, geographies }) => ({
    matchedAddress,
    ...geographyOf(geographies),
  }));
}

function geographyOf(geographies: Layers): Geography {
  if (Object.values(geographies).some((features) => features.some(({ status }) => status !== undefined)))
    throw new GeocoderError('layer_error');
  for (const { name, geoid } of LAYERS) {
    const layer = Object.keys(geographies).find((key) => name.test(key));
    const parts = geoid.exec((layer === undefined ? undefined : geographies[layer][0]?.GEOID) ?? '');
    if (parts) return { fips: parts[1], tract: parts[2] ?? null, block: parts[3] ?? null };
  }
  return { fips: null, tract: null, block: null };
}

const MAX_SHOWN = 12;
const name = z.string().regex(/^\w{1,64}$/);
const id = z.union([z.string(), z.number()]).transform(String);
const benchmarks = z.object({ benchmarks: z.array(z.object({ id, benchmarkName: name })).min(1) });
const vintages = z.object({ vintages: z.array(z.object({ id, vintageName: name })).min(1) });

/** A benchmark or vintage of the service, by name or by number. */
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
 * Why a setting is refused; null if it is known, or if there is no list.
 * @param benchmark - of the vintages
 */
export function refusedSettingMessage(
  what: 'benchmark' | 'vintage',
  value: string,
  known: readonly Setting[] | null,
  benchmark?: string,
): string | null {
  if (known === null || known.some((one) => one.id === value || one.name === value)) return null;
  const shown = known.slice(0, MAX_SHOWN).map((one) => one.name);
  const more = known.length > shown.length ? ' and others' : '';
  const where = benchmark === undefined ? '' : ` for the benchmark ${benchmark}`;
  return `the geocoder has no ${what} ${value}${where}; it has ${shown.join(', ')}${more}`;
}
