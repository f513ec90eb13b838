import { randomBytes } from 'node:crypto';
import { csvRecord } from '@donorlens/tabular';
import { type GeocoderRow } from '../geocoder';

const MAX_LETTERS = 200; // of one part of an address; the longest of 2,000 real ones has 50

/**
 * A part of an address as the service reads it: one line of printable ASCII. Accents are folded; double quotes are
 * removed, because how the service echoes them is unknown, and its answer must remain parseable.
 */
export const sendable = (text: string): string =>
  text
    .replace(/\p{No}/gu, ' $&') // 12½ is 12 1/2, not 121/2
    .normalize('NFKD')
    .replace(/\p{Pd}|\u2212/gu, '-')
    .replace(/[\u2018\u2019\u02bc]/g, "'")
    .replace(/\u2044/g, '/')
    .replace(/[ßæøœłđ]/gi, (letter) => LETTERS[letter.toLowerCase()])
    .replace(/[\p{Cc}\s"]/gu, ' ')
    .replace(/[^ -~]/gu, '')
    .trim()
    .slice(0, MAX_LETTERS);

const LETTERS: Readonly<Record<string, string>> = { ß: 'ss', æ: 'ae', ø: 'o', œ: 'oe', ł: 'l', đ: 'd' };

export const sendableRow = ({ id, street, city, state, zip }: GeocoderRow): GeocoderRow => ({
  id,
  street: sendable(street),
  city: sendable(city),
  state: sendable(state),
  zip: sendable(zip),
});

const MAX_STREET_LETTERS = 100; // of a single address: a longer street is refused

/** As a single address is sent. What is truncated from such a long street does not identify the house. */
export function singleRow(row: GeocoderRow): GeocoderRow {
  const sent = sendableRow(row);
  return { ...sent, street: sent.street.slice(0, MAX_STREET_LETTERS).trim() };
}

const csvLine = ({ id, street, city, state, zip }: GeocoderRow): string =>
  `${csvRecord([id, street, city, state, zip], true)}\n`;

export interface Form {
  readonly contentType: string;
  readonly body: Buffer;
}

/** The form of a batch call: the file of addresses (no header, rows of `sendableRow`) and the other fields. */
export function batchForm(rows: readonly GeocoderRow[], fields: Readonly<Record<string, string>>): Form {
  const boundary = randomBytes(16).toString('hex');
  const file = part(boundary, 'addressFile', rows.map(csvLine).join(''), 'batch.csv');
  const others = Object.entries(fields).map(([name, value]) => part(boundary, name, value));
  return {
    contentType: `multipart/form-data; boundary=${boundary}`,
    body: Buffer.from([file, ...others, `--${boundary}--\r\n`].join(''), 'latin1'),
  };
}

function part(boundary: string, name: string, content: string, filename?: string): string {
  const file = filename === undefined ? '' : `; filename="${filename}"\r\nContent-Type: text/plain`;
  return `--${boundary}\r\nContent-Disposition: form-data; name="${name}"${file}\r\n\r\n${content}\r\n`;
}
