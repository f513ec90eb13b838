import { z } from 'zod';
import { type Candidate, type Geography } from '../geocoder';
import { GeocoderError } from '../geocoder-error';
import { isAddress } from './batch-row';
import { parsedWithoutCoordinates } from './json';

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

/** From the finest on. The block layer's name begins with a year in some vintages. Older blocks may end in a letter. */
const LAYERS = [
  { name: /Census Blocks$/, geoid: /^(\d{5})(\d{6})(\d{4})[A-Z]?$/ },
  { name: /^Census Tracts$/, geoid: /^(\d{5})(\d{6})$/ },
  { name: /^Counties$/, geoid: /^(\d{5})$/ },
];

/**
 * The addresses that fit a single one as well as each other.
 * @param text  the body
 * @throws GeocoderError  `not_json` for another shape; `layer_error` where a layer holds a status instead of features
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
