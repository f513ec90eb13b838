import { asUtf8 } from '../text-encoding';
import { FIELD_SEPARATOR } from './import-record-reader';

const QUOTE = '"';
const SEPARATOR_BYTE = FIELD_SEPARATOR.charCodeAt(0);
/** Control characters have no meaning inside a filing's text, and none may come into a record. */
const CONTROL = /[\x00-\x1b\x1d-\x1f]/g;

/** Versions from 6 on separate by character 28, earlier ones by commas; a filing does the same in all its lines. */
export const separatorOf = (line: Buffer): ',' | typeof FIELD_SEPARATOR =>
  line.includes(SEPARATOR_BYTE) ? FIELD_SEPARATOR : ',';

/** Columns of a line, without the quotes and blanks around them. */
export function fieldsOf(line: Buffer, separator: string): string[] {
  const text = asUtf8(line).toString('utf8').replace(CONTROL, ' ');
  return separator === ',' ? commaFields(text) : text.split(separator).map(unquoted);
}

/** The first column in upper case, which is the kind of the line. */
export function kindOf(line: Buffer, separator: string): string {
  const end = line.indexOf(separator);
  const kind = line.toString('latin1', 0, Math.min(end < 0 ? line.length : end, MAX_KIND_LENGTH));
  return unquoted(kind).toUpperCase();
}
const MAX_KIND_LENGTH = 24;

/** Quotes inside are not doubled between separators of their own, so that only the outer ones go. */
function unquoted(field: string): string {
  const text = field.trim();
  return text.length >= 2 && text.startsWith(QUOTE) && text.endsWith(QUOTE) ? text.slice(1, -1).trim() : text;
}

/** Commas inside quotes are text; a quote inside that is not doubled and ends no field is text as well. */
function commaFields(text: string): string[] {
  const fields: string[] = [];
  for (let at = 0; at <= text.length;) {
    const [field, end] = text[at] === QUOTE ? quotedField(text, at + 1) : plainField(text, at);
    fields.push(field.replaceAll(FIELD_SEPARATOR, ' ').trim());
    at = end + 1;
  }
  return fields;
}

function plainField(text: string, from: number): [string, number] {
  const comma = text.indexOf(',', from);
  const end = comma < 0 ? text.length : comma;
  return [text.slice(from, end), end];
}

function quotedField(text: string, from: number): [string, number] {
  let field = '';
  let at = from;
  for (;;) {
    const quote = text.indexOf(QUOTE, at);
    if (quote < 0) return [field + text.slice(at), text.length];
    const next = text[quote + 1];
    field += text.slice(at, quote);
    if (next === undefined || next === ',') return [field, quote + 1];
    field += QUOTE;
    at = next === QUOTE ? quote + 2 : quote + 1;
  }
}
