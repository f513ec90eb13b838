import { isAscii, isUtf8 } from 'node:buffer';
import { Problem } from './problem';

/** No request needs deeper JSON, and recursion over very deep values would overflow the stack. */
const MAX_DEPTH = 8;
/** Copied onto another object, these keys would change its prototype. */
const REFUSED_KEYS = new Set(['__proto__', 'constructor', 'prototype']);

/** Decodes a body. @throws Problem 400 if it is empty or not UTF-8 */
export function jsonText(body: Buffer): string {
  if (body.length === 0) throw new Problem('malformed-body', 'The body is empty.');
  return isAscii(body) ? body.toString('latin1') : utf8Text(body);
}

/** Parses JSON. The error contains the position but never the text. @throws Problem 400 */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const place = /position (\d+)/.exec(error instanceof Error ? error.message : '')?.[1];
    const where = place === undefined ? '' : ` The fault is at character ${place}.`;
    throw new Problem('malformed-body', `The body is not JSON.${where}`);
  }
}

function utf8Text(body: Buffer): string {
  if (!isUtf8(body)) throw new Problem('malformed-body', 'The body is not UTF-8.');
  const text = body.toString('utf8');
  return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
}

/**
 * Rejects JSON deeper than 8 levels and keys that change prototypes. Not recursive.
 * @param around - number of levels that contain the value
 * @throws Problem 400
 */
export function checkShape(value: unknown, around = 0): void {
  let level = isHolder(value) ? [value] : [];
  for (let depth = around + 1; level.length > 0; depth++) {
    if (depth > MAX_DEPTH) throw new Problem('malformed-body', `JSON here is at most ${MAX_DEPTH} levels deep.`);
    const next: object[] = [];
    for (const holder of level) {
      if (!Array.isArray(holder)) checkKeys(holder);
      for (const inner of Object.values(holder)) if (isHolder(inner)) next.push(inner);
    }
    level = next;
  }
}

const isHolder = (value: unknown): value is object => typeof value === 'object' && value !== null;

function checkKeys(holder: object): void {
  for (const key of Object.keys(holder))
    if (REFUSED_KEYS.has(key)) throw new Problem('malformed-body', `The key ${key} is not allowed.`);
}

export interface JsonBounds {
  /** Maximum number of objects and lists. */
  readonly containers: number;
  readonly values: number;
  /** Sentence that tells the client an alternative. */
  readonly advice: string;
}

const COMMA = 0x2c;
const OPEN_LIST = 0x5b;
const OPEN_OBJECT = 0x7b;

/**
 * Rejects JSON with too many values before it is parsed: an empty object is two bytes of text and dozens of bytes in
 * memory. Counts braces, brackets and commas. The bounds allow for those in strings, which are counted too.
 * @throws Problem 413
 */
export function checkBounds(json: Uint8Array, { containers, values, advice }: JsonBounds): void {
  if (json.length <= Math.min(containers, values)) return;
  let open = 0;
  let commas = 0;
  for (let at = 0; at < json.length; at++) {
    const byte = json[at];
    if (byte === COMMA) commas++;
    else if (byte === OPEN_OBJECT || byte === OPEN_LIST) open++;
  }
  if (open <= containers && commas < values) return;
  throw new Problem(
    'body-too-large',
    `JSON here has at most ${containers} objects and lists and ${values} values. ${advice}`,
    {
      members: { limit: open > containers ? containers : values },
    },
  );
}
