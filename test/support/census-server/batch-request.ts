import busboy from 'busboy';
import { parse } from 'csv-parse/sync';
import { type IncomingMessage } from 'node:http';
import { type Address } from './address';
import { Refused } from './answer';

const MAX_ROWS = 10_000;

/** A row of a batch as received: `asked` has the fields after the id, which the answer echoes. */
export interface RequestedRow extends Address {
  readonly id: string;
  readonly asked: readonly string[];
}

export interface BatchRequest {
  readonly rows: readonly RequestedRow[];
  readonly benchmark: string | null;
  readonly vintage: string | null;
}

/** Reads the form of a batch call. @throws Refused if it has no file, is not a form or has too many rows */
export async function batchRequest(request: IncomingMessage): Promise<BatchRequest> {
  const { file, fields } = await formOf(request);
  if (!file) throw new Refused('Address file cannot be empty');
  const rows = askedRows(file);
  if (rows.length > MAX_ROWS) throw new Refused(`Address file may not have more than ${MAX_ROWS} records`);
  return { rows, benchmark: fields.get('benchmark') ?? null, vintage: fields.get('vintage') ?? null };
}

interface Form {
  readonly file: Buffer | null;
  readonly fields: ReadonlyMap<string, string>;
}

function formOf(request: IncomingMessage): Promise<Form> {
  const parts: Buffer[] = [];
  const fields = new Map<string, string>();
  return new Promise((resolve, reject) => {
    const form = parserOf(request);
    form.on('field', (name, value) => fields.set(name, value));
    form.on('file', (name, stream) => {
      stream.on('data', (part: Buffer) => (name === 'addressFile' ? parts.push(part) : 0));
    });
    form.on('error', () => reject(new Refused('not a form')));
    form.on('close', () => resolve({ file: parts.length ? Buffer.concat(parts) : null, fields }));
    request.on('error', reject).pipe(form);
  });
}

function parserOf(request: IncomingMessage): busboy.Busboy {
  try {
    return busboy({ headers: request.headers });
  } catch {
    throw new Refused('not a form');
  }
}

function askedRows(file: Buffer): RequestedRow[] {
  const rows: string[][] = parse(textOf(file), {
    relax_column_count: true,
    relax_quotes: true,
    skip_empty_lines: true,
  });
  return rows.map(([id = '', ...asked]) => {
    const [street = '', city = '', state = '', zip = ''] = asked;
    return { id, street, city, state, zip, asked };
  });
}

/** Decodes UTF-8 if the file is valid UTF-8, otherwise Latin-1, in which the answers are written. */
function textOf(file: Buffer): string {
  const text = file.toString('utf8');
  return text.includes('\ufffd') ? file.toString('latin1') : text;
}
