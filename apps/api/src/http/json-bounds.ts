import { Problem } from './problem';

export interface JsonBounds {
  /** Objects and lists. */
  readonly holders: number;
  readonly values: number;
  /** What the client can do instead, as a sentence. */
  readonly advice: string;
}

const COMMA = 0x2c;
const OPEN_LIST = 0x5b;
const OPEN_OBJECT = 0x7b;

/**
 * Refuses JSON of more values than a request here can mean, before it is parsed: an empty object is two bytes of text
 * and dozens of memory. Counts the bytes that begin an object or a list and those that part values; the few inside of
 * strings count too, which the bounds leave room for.
 * @throws Problem 413
 */
export function checkBounds(json: Uint8Array, { holders, values, advice }: JsonBounds): void {
  if (json.length <= Math.min(holders, values)) return;
  let open = 0;
  let commas = 0;
  for (let at = 0; at < json.length; at++) {
    const byte = json[at];
    if (byte === COMMA) commas++;
    else if (byte === OPEN_OBJECT || byte === OPEN_LIST) open++;
  }
  if (open <= holders && commas < values) return;
  throw new Problem('body-too-large', `JSON here has at most ${holders} objects and ${values} values. ${advice}`, {
    members: { limit: open > holders ? holders : values },
  });
}
