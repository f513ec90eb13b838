import { type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { constants, createGzip } from 'node:zlib';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { type CachedFile, isLongFile, type LongFile, type LongTable, type OpenFile } from './table-body';
import { tooManyDownloads } from './download-limiter';
import { Semaphore } from 'async-mutex';
import fresh from 'fresh';

const STALL_TIMEOUT_MS = 60_000;
/** Headers that a 304 does not repeat. */
const CONTENT_HEADERS = new Set(['content-type', 'content-disposition', 'content-encoding']);

/**
 * Sends the file, or status 304 if the client has the current version.
 * @throws Problem 503 if too many long files are being sent
 */
export async function sendTable(
  request: FastifyRequest,
  reply: FastifyReply,
  file: CachedFile | LongFile,
): Promise<void> {
  const { headers } = file;
  if (isFresh(request.headers, headers)) {
    const repeated = Object.entries(headers).filter(([name]) => !CONTENT_HEADERS.has(name));
    void reply.code(304).headers(Object.fromEntries(repeated)).send();
  } else if (isLongFile(file)) {
    if (request.method === 'HEAD') void reply.headers(headers).send();
    else {
      const { pieces, close } = await file.open();
      reply.raw.once('close', close);
      sendStream(reply, headers, Readable.from(pieces(), { objectMode: false }), file.gzip);
    }
  } else if (request.method === 'GET' && request.raw.complete) sendDirectly(reply, file);
  else void reply.headers(headers).send(file.bytes);
}

/**
 * Writes a cached file without Fastify's serialization. The request has no body to drain. Hooks after the response
 * still run.
 */
function sendDirectly(reply: FastifyReply, { bytes, headers, rawHeaders }: CachedFile): void {
  reply.hijack();
  const all = rawHeaders.slice();
  const before = reply.getHeaders();
  for (const name in before) if (!(name in headers)) all.push(name, String(before[name]));
  reply.raw.writeHead(200, all);
  reply.raw.end(bytes);
}

/** Whether the client has the current version. Ignores Cache-Control, which browsers add to requests of scripts. */
export const isFresh = (
  { 'if-none-match': tag, 'if-modified-since': date }: IncomingHttpHeaders,
  headers: Parameters<typeof fresh>[1],
): boolean => fresh({ 'if-none-match': tag, 'if-modified-since': date }, headers);

/** Streams a file, so its length is not sent. Disconnects a client that stops reading. */
export function sendStream(
  reply: FastifyReply,
  headers: Readonly<Record<string, string>>,
  source: Readable,
  gzip: boolean,
): void {
  endWhenStalled(reply.raw);
  void reply.headers(headers).send(gzip ? gzipped(source) : source);
}

function gzipped(source: Readable): Readable {
  const gzip = createGzip({ level: constants.Z_BEST_SPEED });
  source.on('error', (error) => gzip.destroy(error));
  gzip.on('close', () => source.destroy());
  return source.pipe(gzip);
}

/** Ends a response whose client has read nothing within the timeout although the server has bytes for it. */
export function endWhenStalled(response: ServerResponse, timeoutMs = STALL_TIMEOUT_MS): void {
  response.setTimeout(timeoutMs, () => {
    // Node reports a socket without traffic. Without buffered bytes, the database is slow and not the client.
    if (response.writableNeedDrain) response.destroy();
    else response.setTimeout(timeoutMs);
  });
}

/** The rows of one long table may take tens of megabytes. */
const MAX_LONG_TABLES = 4;
/** Each gzipped download takes a third of a megabyte of memory, also for a slow client. */
const MAX_LONG_DOWNLOADS = 64;

/** Downloads of tables that are too long for the cache. Concurrent downloads of one table share its rows. */
export class LongTableDownloads {
  private readonly tables = new Map<string, { readonly table: LongTable; downloads: number }>();
  private readonly limiter = new Semaphore(MAX_LONG_DOWNLOADS);

  get(key: string): LongTable | undefined {
    return this.tables.get(key)?.table;
  }

  /** @throws Problem 503 if too many files are being sent */
  async open(table: LongTable): Promise<OpenFile> {
    const { key } = table;
    const shared = this.tables.get(key) ?? { table, downloads: 0 }; // if the table was read twice, share the first rows
    if (shared.downloads === 0 && this.tables.size >= MAX_LONG_TABLES)
      throw tooManyDownloads(`${MAX_LONG_TABLES} large chart files are being sent`);
    if (this.limiter.isLocked())
      throw tooManyDownloads(`${MAX_LONG_DOWNLOADS} downloads of large chart files are running`);
    this.tables.set(key, shared);
    shared.downloads++;
    const [, release] = await this.limiter.acquire();
    const close = (): void => {
      release();
      if (--shared.downloads === 0) this.tables.delete(key);
    };
    return { pieces: shared.table.pieces, close };
  }
}
