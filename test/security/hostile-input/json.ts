import { type TrialService, forEachConcurrently, type Outcome } from './trial';
import { INVALID, OPEN, VALID } from './json-cases';

/** Endpoints that read JSON. Each ignores unknown members, so any value can be sent as one. */
const PLACES = [
  ['/enrich/v1/age_gender', '{"date":"2017-07-01","name":"Mary"}', 200],
  ['/enrich/v1/ethnicity', '{"surname":"Garcia","year":2016}', 200],
  ['/enrich/v1/contributions', '{"name":"SMITH, MARY","date":"2016-10-01"}', 200],
  ['/enrich/v1/batches?type=age_gender', '{"date":"2017-07-01","name":"Mary"}', 202],
  ['/enrich/v1/batches/preview?type=age_gender', '{"date":"2017-07-01","name":"Mary"}', 200],
] as const;

interface JsonCase {
  readonly place: (typeof PLACES)[number];
  readonly text: Buffer;
  /** Allowed statuses. */
  readonly right: readonly number[];
}

const joined = (before: string, middle: string | Buffer, after: string): Buffer =>
  Buffer.concat([Buffer.from(before), Buffer.from(middle as Buffer), Buffer.from(after)]);

function jsonCases(): JsonCase[] {
  return PLACES.flatMap((place): JsonCase[] => {
    const [, query, good] = place;
    const inside = (value: string | Buffer): Buffer => joined(`{"queries":[${query}],"more":`, value, '}');
    const isWhole = (value: string | Buffer): boolean => !/^\s*$/.test(value.toString());
    return [
      ...VALID.map((value) => ({ place, text: inside(value), right: [good] })),
      ...VALID.map((value) => ({ place, text: Buffer.from(value as Buffer), right: [400] })), // valid JSON, but no list of queries
      ...INVALID.filter(isWhole).map((value) => ({ place, text: inside(value), right: [400] })),
      ...INVALID.map((value) => ({ place, text: Buffer.from(value as Buffer), right: [400] })),
      ...OPEN.map((value) => ({ place, text: inside(value), right: [good, 400] })),
      ...OPEN.map((value) => ({ place, text: Buffer.from(value as Buffer), right: [400] })),
    ];
  });
}

/** Every endpoint that reads JSON accepts what RFC 8259 allows, and nothing else. */
export async function hostileJson(bench: TrialService): Promise<Outcome> {
  const all = jsonCases();
  const found = await forEachConcurrently(all, 8, async ({ place: [path], text, right }) => {
    const { status, headers } = await bench.post(path, text, 'application/json');
    const isRight = right.includes(status) && (status < 400 || headers['content-type'] === 'application/problem+json');
    return isRight ? [] : [`${status} for ${JSON.stringify(text.toString('latin1').slice(0, 200))} at ${path}`];
  });
  return { what: 'JSON of every kind to every endpoint that reads it', ...found };
}
