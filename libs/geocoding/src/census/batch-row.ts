import { parse } from 'csv-parse/sync';
import { type GeocoderAnswer, type UnansweredReason } from '../geocoder';

const COORDINATES = 5; // column of "longitude,latitude"
const MOST_LETTERS = 1000; // of a matched address

/** Fields in quotes that hold none. */
const ALL_QUOTED = /^"[^"]*"(?:,"[^"]*")*$/;

const withoutCoordinates = (fields: string[]): string[] => {
  if (fields.length > COORDINATES) fields[COORDINATES] = '';
  return fields;
};

/** A row of the answer, as far as it can be read. */
export interface BatchRow {
  /** The address as it was sent, its parts joined. */
  readonly echo: string;
  readonly answer: GeocoderAnswer | UnansweredReason;
  /** True where a row with more fields could have been cut to this one. */
  readonly mayBeCut: boolean;
}

/** @returns null where the line is no row of three or more fields */
export function readBatchRow(line: string): BatchRow | null {
  const fields = fieldsOf(line);
  if (fields === null || fields.length < 3) return null;
  const answer = answerOf(fields);
  return { echo: fields[1], answer, mayBeCut: typeof answer === 'string' || fields.length === 8 };
}

/**
 * The fields of a line; null where it cannot be parsed. Coordinates are blank, so that nothing can hold them. The service
 * quotes every field: such a line is cut at its quotes, twenty times as fast as the parser that reads any other.
 */
export function fieldsOf(line: string): string[] | null {
  if (ALL_QUOTED.test(line)) return withoutCoordinates(line.slice(1, -1).split('","'));
  try {
    const [fields] = parse(line, {
      record_delimiter: '\n',
      relax_column_count: true,
      on_record: withoutCoordinates,
    });
    return fields ?? null;
  } catch {
    return null; // the parser's error quotes the line
  }
}

/** Ragged by design: 12 fields with geographies, 8 without, 3 where there is nothing to say. */
function answerOf(fields: readonly string[]): GeocoderAnswer | UnansweredReason {
  const [, , word, kind, matchedAddress] = fields;
  if (fields.length === 3 && word === 'No_Match') return { outcome: 'NO_MATCH' };
  if (fields.length === 3 && word === 'Tie') return { outcome: 'TIE' };
  if (fields.length !== 8 && fields.length !== 12) return 'malformed';
  if (word !== 'Match' || (kind !== 'Exact' && kind !== 'Non_Exact') || !isAddress(matchedAddress)) return 'malformed';
  const match = { outcome: 'MATCH', isExact: kind === 'Exact', matchedAddress } as const;
  if (fields.length === 8) return { ...match, fips: null, tract: null, block: null };
  return withGeography(match, fields.slice(8));
}

/** FIPS codes of the states, the District of Columbia, Puerto Rico and the island areas. */
const STATES = /^(?!03|07|14|43|52)(?:0[1-9]|[1-4]\d|5[0-6]|60|66|69|72|78)$/;

function withGeography(
  match: { outcome: 'MATCH'; isExact: boolean; matchedAddress: string },
  [state, county, tract, block]: readonly string[],
): GeocoderAnswer | UnansweredReason {
  const isWhole =
    STATES.test(state) && /^(?!000|999)\d{3}$/.test(county) && /^\d{6}$/.test(tract) && /^\d{4}$/.test(block);
  return isWhole ? { ...match, fips: state + county, tract, block } : 'incomplete';
}

/** Has letters, and nothing like a coordinate: where fields have slipped they would be here. (There is a road called 18.25.) */
export const isAddress = (text: string): boolean =>
  text.length <= MOST_LETTERS && /\p{L}/u.test(text) && !/\d\.\d{3}|\d\.\d+, ?-?\d+\.\d/.test(text);
