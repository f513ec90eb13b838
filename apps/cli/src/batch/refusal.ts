import { usageError } from '../exit-code';
import { headerColumns } from './column-list';
import { type InputFile } from './input-file';
import { HttpFault } from './service-client';

/** The columns are not what the batch needs, or what --map says. */
const OF_COLUMNS = new Set(['unmapped_columns', 'unknown_column', 'unknown_field', 'duplicate_column']);

/** What the service refuses of the options, in their words: a column with --map and the header as it is, a webhook's URL. Other errors as they are. */
export function inWordsOfOptions(error: unknown, { path, header }: Pick<InputFile, 'path' | 'header'>): unknown {
  if (!(error instanceof HttpFault)) return error;
  const ofWebhook = /\/header\/Webhook-Url ([^()]+)/.exec(error.message)?.[1];
  if (ofWebhook !== undefined) return usageError(`--webhook-url ${ofWebhook}`);
  if (!OF_COLUMNS.has(error.reason ?? '')) return error;
  const text = error.message
    .replace(/^\d{3}: ([^:]*: )?/, '')
    .replace(/\bmap\.([a-z_]+)=<column>/g, '--map $1="Column"')
    .replace(/\bmap\.(<field>|[a-z_]+)/g, '--map $1');
  return usageError(`${path}: ${text}${header === null ? '' : `; its columns: ${headerColumns(header)}`}`);
}
