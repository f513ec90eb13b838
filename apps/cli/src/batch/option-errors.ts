import { usageError } from '../exit-code';
import { type InputFile } from './input-file';
import { HttpFault } from './service-client';

/** Reason codes of errors about columns or --map. */
const COLUMN_REASONS = new Set(['unmapped_columns', 'unknown_column', 'unknown_field', 'duplicate_column']);

/** Rewrites an error of the service as an error of --map or --webhook-url. Returns other errors unchanged. */
export function asOptionError(error: unknown, { path, header }: Pick<InputFile, 'path' | 'header'>): unknown {
  if (!(error instanceof HttpFault)) return error;
  const ofWebhook = /\/header\/Webhook-Url ([^()]+?)\.?$/.exec(error.message)?.[1];
  if (ofWebhook !== undefined) return usageError(`--webhook-url ${ofWebhook}`);
  if (!COLUMN_REASONS.has(error.reason ?? '')) return error;
  const text = error.message
    .replace(/^\d{3}: ([^:]*: )?/, '')
    .replace(/\bmap\.([a-z_]+)=<column>/g, '--map $1="Column"')
    .replace(/\bmap\.(<field>|[a-z_]+)/g, '--map $1');
  return usageError(`${path}: ${text}${header === null ? '' : `; its columns: ${headerColumns(header)}`}`);
}

const MAX_SHOWN = 300;

/** Column names as shell arguments, quoted if needed, without control characters. */
export const columnList = (columns: readonly string[]): string => shortened(columns.map(quoted).join(', '));

/** The columns of a header line. A line with quotes is shown unchanged. */
function headerColumns(header: string): string {
  if (header.includes('"')) return shortened(harmless(header));
  const [delimiter] = [',', ';', '\t', '|'].sort((one, other) => times(other, header) - times(one, header));
  return columnList(header.split(delimiter).map((name) => name.trim()));
}

const times = (delimiter: string, text: string): number => text.split(delimiter).length;

/** A shell argument, quoted if needed, without control characters. */
export const quoted = (name: string): string => {
  const text = harmless(name);
  if (/^[\w./-]+$/.test(text)) return text;
  return /["$`\\!]/.test(text) ? `'${text.replaceAll("'", `'\\''`)}'` : `"${text}"`;
};

const harmless = (text: string): string => text.replace(/[\p{Cc}\p{Cf}]+/gu, ' ').trim();

const shortened = (text: string): string => (text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)} …` : text);
