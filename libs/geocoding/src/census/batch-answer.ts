import { parse } from 'csv-parse/sync';
import { type BatchAnswer, type GeocoderAnswer, type GeocoderRow, type UnansweredReason } from '../geocoder';

/** The id at the head of a row, also of one that is damaged further on. */
const HEAD = /^\s*"?(\d+)"?\s*,/;

/**
 * Joins the answer of a batch call to the request by id, since its rows are in any order. Nothing of it is trusted: an
 * invalid row gives its address no answer rather than a wrong one. A row is a line, since no line break is sent, so
 * damage ends with the line.
 * @param text - the body, read as Latin-1
 * @param sent - the rows as they were sent
 * @param isCut - true if the body is incomplete
 * @returns null if no line is a row
 */
export function readBatchAnswer(text: string, sent: readonly GeocoderRow[], isCut: boolean): BatchAnswer | null {
  const lines = text.split('\n');
  const tail = lines.pop() ?? '';
  const reader = new BatchReader(sent);
  for (const line of lines) reader.read(line, true);
  reader.read(tail, false);
  return reader.rows === 0 ? null : reader.joined(isCut ? 'truncated' : 'missing');
}

class BatchReader {
  rows = 0;
  private readonly requested: ReadonlyMap<string, { readonly id: number; readonly input: string }>;
  private readonly inputs: ReadonlySet<string>;
  private readonly found = new Map<string, GeocoderAnswer | UnansweredReason>();

  constructor(sent: readonly GeocoderRow[]) {
    this.requested = new Map(sent.map((row) => [String(row.id), { id: row.id, input: lettersOf(row) }]));
    this.inputs = new Set([...this.requested.values()].map(({ input }) => input));
  }

  /** @param isEnded - false for a last line without a line end, which may be part of a longer row */
  read(line: string, isEnded: boolean): void {
    const id = HEAD.exec(line)?.[1];
    if (id === undefined) return;
    const row = readBatchRow(line.trim());
    if (row) this.rows++;
    const own = this.requested.get(id);
    if (!own) return;
    if (this.found.has(id)) this.found.set(id, 'duplicate');
    else if (!row || (!isEnded && row.mayBeCut)) this.found.set(id, isEnded ? 'malformed' : 'truncated');
    else this.found.set(id, this.isOfAnother(letters(row.echo), own.input) ? 'misattributed' : row.answer);
  }

  private isOfAnother(echo: string, own: string): boolean {
    return echo !== own && this.inputs.has(echo);
  }

  joined(otherwise: UnansweredReason): BatchAnswer {
    const answers = new Map<number, GeocoderAnswer>();
    const unanswered = new Map<number, UnansweredReason>();
    for (const [text, { id }] of this.requested) {
      const found = this.found.get(text) ?? otherwise;
      if (typeof found === 'string') unanswered.set(id, found);
      else answers.set(id, found);
    }
    return { answers, unanswered };
  }
}

/** Letters and digits only, as the service's echo of an address contains other characters differently. */
const letters = (text: string): string => text.toUpperCase().replace(/[^A-Z0-9]/g, '');
const lettersOf = ({ street, city, state, zip }: GeocoderRow): string => letters(street + city + state + zip);

const COORDINATES = 5; // column of "longitude,latitude"
const MAX_LETTERS = 1000; // of a matched address

/** Quoted fields without quotes inside. */
const ALL_QUOTED = /^"[^"]*"(?:,"[^"]*")*$/;

const withoutCoordinates = (fields: string[]): string[] => {
  if (fields.length > COORDINATES) fields[COORDINATES] = '';
  return fields;
};

/** A parsed row of the answer. */
export interface BatchRow {
  /** The address as it was sent, its parts joined. */
  readonly echo: string;
  readonly answer: GeocoderAnswer | UnansweredReason;
  /** True if it may be a truncated row with more fields. */
  readonly mayBeCut: boolean;
}

/** @returns null if the line is no row of three or more fields */
export function readBatchRow(line: string): BatchRow | null {
  const fields = fieldsOf(line);
  if (fields === null || fields.length < 3) return null;
  const answer = answerOf(fields);
  return { echo: fields[1], answer, mayBeCut: typeof answer === 'string' || fields.length === 8 };
}

/**
 * The fields of a line; null if it cannot be parsed. Coordinates are blanked, so that nothing can store them. The service
 * quotes every field: such a line is split at its quotes, twenty times as fast as by the parser for other lines.
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

/** 12 fields with geographies, 8 without, 3 without a match. */
function answerOf(fields: readonly string[]): GeocoderAnswer | UnansweredReason {
  const [, , result, kind, matchedAddress] = fields;
  if (fields.length === 3 && result === 'No_Match') return { outcome: 'NO_MATCH' };
  if (fields.length === 3 && result === 'Tie') return { outcome: 'TIE' };
  if (fields.length !== 8 && fields.length !== 12) return 'malformed';
  if (result !== 'Match' || (kind !== 'Exact' && kind !== 'Non_Exact') || !isAddress(matchedAddress))
    return 'malformed';
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

/** Has letters and no coordinate, which would be here if fields were shifted. (There is a road called 18.25.) */
export const isAddress = (text: string): boolean =>
  text.length <= MAX_LETTERS && /\p{L}/u.test(text) && !/\d\.\d{3}|\d\.\d+, ?-?\d+\.\d/.test(text);
