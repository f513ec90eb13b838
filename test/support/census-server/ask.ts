import { request } from 'node:http';
import { type Address } from './address';

/** The received answer, byte for byte. */
export interface Raw {
  /** Null if no head was received. */
  readonly status: number | null;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
  /** Null if the answer was complete. */
  readonly error: string | null;
}

interface Sent {
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly body?: Buffer;
  readonly signal?: AbortSignal;
  readonly onPiece?: (bytes: number) => void;
}

/** Sends a request and resolves with its answer, complete or not. */
export function raw(url: string, { body, onPiece, ...options }: Sent = {}): Promise<Raw> {
  return new Promise((resolve) => {
    const parts: Buffer[] = [];
    let head: Pick<Raw, 'status' | 'headers'> = { status: null, headers: {} };
    const done = (error: string | null): void => resolve({ ...head, body: Buffer.concat(parts), error });
    const failed = ({ code, name }: NodeJS.ErrnoException): void => done(code ?? name);
    const outgoing = request(url, { agent: false, ...options });
    outgoing.on('error', failed);
    outgoing.on('response', (response) => {
      head = { status: response.statusCode!, headers: response.headers };
      response.on('data', (part: Buffer) => (parts.push(part), onPiece?.(part.length)));
      response.on('end', () => done(null));
      response.on('error', failed);
    });
    outgoing.end(body);
  });
}

const BOUNDARY = 'a-line-between';

/** The form of a batch call. */
export function form(rows: string | Buffer, fields: Record<string, string>): Sent {
  const part = (name: string, more = ''): string =>
    `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n`;
  const others = Object.entries(fields).map(([name, value]) => `\r\n${part(name)}${value}`);
  return {
    method: 'POST',
    headers: { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` },
    body: Buffer.concat([
      Buffer.from(part('addressFile', '; filename="batch.csv"')),
      Buffer.from(rows),
      Buffer.from(`${others.join('')}\r\n--${BOUNDARY}--\r\n`),
    ]),
  };
}

export const NAMES = { benchmark: 'Public_AR_Current', vintage: 'Census2020_Current' };

/** Sends a batch call; ids are 0, 1, 2 … */
export const askBatch = (url: string, addresses: readonly Address[], more: Sent = {}): Promise<Raw> => {
  const rows = addresses.map(({ street, city, state, zip }, id) => [id, street, city, state, zip].join());
  return raw(`${url}/geographies/addressbatch`, { ...form(rows.join('\n'), NAMES), ...more });
};

export const askSingle = (url: string, address: Address, names = NAMES): Promise<Raw> =>
  raw(`${url}/geographies/address?${new URLSearchParams({ ...address, ...names, format: 'json' }).toString()}`);
