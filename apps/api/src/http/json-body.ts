import { isAscii, isUtf8 } from 'node:buffer';
import { Problem } from './problem';

/** Deeper JSON has no place in any request here, and recursion over a very deep value would end in a stack overflow. */
const MOST_DEPTH = 8;
/** Copied onto another object, these keys would change its prototype. */
const REFUSED_KEYS = new Set(['__proto__', 'constructor', 'prototype']);

/** The text of a body. @throws Problem 400 where it is empty or not UTF-8 */
export function jsonText(body: Buffer): string {
  if (body.length === 0) throw new Problem('malformed-body', 'The body is empty.');
  return isAscii(body) ? body.toString('latin1') : utf8Text(body);
}

/** Reads JSON text. The message names the place, never the text. @throws Problem 400 */
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
 * Refuses depth beyond 8 and keys that touch prototypes. Not recursive.
 * @param around how many levels hold the value
 * @throws Problem 400
 */
export function checkShape(value: unknown, around = 0): void {
  let level = isHolder(value) ? [value] : [];
  for (let depth = around + 1; level.length > 0; depth++) {
    if (depth > MOST_DEPTH) throw new Problem('malformed-body', `JSON here is at most ${MOST_DEPTH} levels deep.`);
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
