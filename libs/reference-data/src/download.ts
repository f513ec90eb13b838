import { randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Agent, type Dispatcher, request } from 'undici';
import { codeOf } from './error-code';
import { SourceError } from './reference-data-error';
import { sha256 } from './release-binary';
import { MOST_FILE_BYTES } from './source-files';
import { type DownloadLog, type DownloadRecord } from './source-file.repository';

export interface DownloadOptions {
  /** folder of the downloaded files, each called by its SHA-256 */
  readonly cache: string;
  readonly log: DownloadLog;
  /** stops everything: the caller's wish or the end of the budget */
  readonly signal: AbortSignal;
  /** 1 s by default; a test sets less */
  readonly firstPauseMs?: number;
}

export interface Downloaded {
  readonly bytes: Buffer;
  readonly sha256: string;
  /** when these bytes came over the network, ISO 8601 */
  readonly retrievedAt: string;
}

const CONNECT_TIMEOUT_MS = 5_000;
const SILENCE_MS = 30_000; // longest wait for headers, and between two pieces of a body
const MOST_REDIRECTS = 5;
const TRIES = 3; // pauses of 1 s and 3 s between them: a hiccup, not an outage
const NETWORK_DOWN = [
  'ENOTFOUND',
  'EAI_AGAIN',
  'ECONNREFUSED',
  'ENETUNREACH',
  'EHOSTUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
];
/** One host of the official ones answers browsers with 403 and plain programs with the file. */
const USER_AGENT = 'donorlens/0.1 (reference data)';

class WorthARetry extends SourceError {}

/** Gets files over HTTP, once: a file that did not change is taken from the cache. */
export class Downloader {
  private readonly agent = new Agent({
    connect: { timeout: CONNECT_TIMEOUT_MS },
    headersTimeout: SILENCE_MS,
    bodyTimeout: SILENCE_MS,
    maxResponseSize: MOST_FILE_BYTES,
  });

  constructor(private readonly options: DownloadOptions) {}

  close(): Promise<void> {
    return this.agent.destroy();
  }

  /**
   * @returns null where the server says that there is no such file (404, 410)
   * @throws SourceError
   */
  async get(url: string): Promise<Downloaded | null> {
    for (let run = 1; ; run++)
      try {
        return await this.tryOnce(url);
      } catch (error) {
        if (!(error instanceof WorthARetry) || run === TRIES) throw error;
        const { firstPauseMs = 1000, signal } = this.options;
        await pause(firstPauseMs * 3 ** (run - 1), undefined, { signal }).catch((reason: unknown) => {
          throw this.explained(url, reason);
        });
      }
  }

  private async tryOnce(url: string): Promise<Downloaded | null> {
    const known = await this.known(url);
    try {
      const answer = await this.followed(url, known?.record);
      if (answer.statusCode === 404 || answer.statusCode === 410) return await discarded(answer, null);
      if (answer.statusCode === 304 && known) return await discarded(answer, known.file);
      return await this.saved(url, answer);
    } catch (error) {
      throw this.explained(url, error);
    }
  }

  private async known(url: string): Promise<{ record: DownloadRecord; file: Downloaded } | null> {
    const record = await this.options.log.find(withoutSecrets(url));
    if (record === null) return null;
    const bytes = await readFile(join(this.options.cache, record.sha256)).catch(() => null);
    if (bytes === null || sha256(bytes) !== record.sha256) return null; // half written or damaged: get it again
    return { record, file: { bytes, sha256: record.sha256, retrievedAt: record.retrievedAt } };
  }

  private async followed(url: string, known: DownloadRecord | undefined): Promise<Dispatcher.ResponseData> {
    const headers: Record<string, string> = { 'user-agent': USER_AGENT };
    if (known?.etag) headers['if-none-match'] = known.etag;
    if (known?.lastModified) headers['if-modified-since'] = known.lastModified;
    let at = new URL(url);
    for (let hop = 0; hop <= MOST_REDIRECTS; hop++) {
      const answer = await request(at, { dispatcher: this.agent, headers, signal: this.options.signal });
      if (![301, 302, 303, 307, 308].includes(answer.statusCode)) return answer;
      await discarded(answer, null);
      const { location } = answer.headers;
      const next = new URL(typeof location === 'string' ? location : '', at);
      if (next.protocol !== at.protocol && next.protocol !== 'https:')
        throw new SourceError(withoutSecrets(url), `redirects to ${next.protocol}//${next.host}`);
      at = next;
    }
    throw new SourceError(withoutSecrets(url), `redirects more than ${MOST_REDIRECTS} times`);
  }

  private async saved(url: string, answer: Dispatcher.ResponseData): Promise<Downloaded> {
    const { statusCode, headers, body } = answer;
    const location = withoutSecrets(url);
    if (statusCode !== 200) {
      const Refusal = statusCode === 429 || statusCode >= 500 ? WorthARetry : SourceError;
      return discarded(answer, null).then(() => {
        throw new Refusal(location, `answered with status ${statusCode}`);
      });
    }
    if (/^text\/html/i.test(header(headers, 'content-type') ?? ''))
      return discarded(answer, null).then(() => {
        throw new SourceError(location, 'answered with a web page, not with the file');
      });
    const bytes = await limited(location, body);
    const file = { bytes, sha256: sha256(bytes), retrievedAt: new Date().toISOString() };
    await this.keep(file);
    await this.options.log.save({
      url: location,
      etag: header(headers, 'etag'),
      lastModified: header(headers, 'last-modified'),
      sha256: file.sha256,
      bytes: bytes.length,
      retrievedAt: file.retrievedAt,
    });
    return file;
  }

  /** A reader never sees half a file: it gets its name when it is whole. */
  private async keep({ bytes, sha256: name }: Downloaded): Promise<void> {
    const { cache } = this.options;
    await mkdir(cache, { recursive: true });
    const part = join(cache, `${name}.${randomUUID()}.part`);
    try {
      await writeFile(part, bytes, { flush: true });
      await rename(part, join(cache, name));
    } finally {
      await rm(part, { force: true });
    }
  }

  private explained(url: string, error: unknown): unknown {
    const location = withoutSecrets(url);
    if (error instanceof SourceError) return error;
    if (this.options.signal.aborted) return new SourceError(location, 'was given up: no time left');
    const code = codeOf(error);
    if (code === 'UND_ERR_RES_EXCEEDED_MAX_SIZE') return tooLong(location);
    if (NETWORK_DOWN.includes(code)) return new SourceError(location, `cannot be reached (${code})`);
    return code === '' ? error : new WorthARetry(location, `broke off (${code})`);
  }
}

const tooLong = (location: string): SourceError => new SourceError(location, `has more than ${MOST_FILE_BYTES} bytes`);

async function limited(location: string, body: AsyncIterable<Buffer>): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let length = 0;
  for await (const piece of body) {
    length += piece.length;
    if (length > MOST_FILE_BYTES) throw tooLong(location);
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

async function discarded<T>(answer: Dispatcher.ResponseData, result: T): Promise<T> {
  await answer.body.dump({ limit: 65_536 });
  return result;
}

function header(headers: Dispatcher.ResponseData['headers'], name: string): string | null {
  const value = headers[name];
  return typeof value === 'string' ? value : null;
}

/** An address as it may be shown and stored: without user, password and query. */
export function withoutSecrets(url: string): string {
  const shown = new URL(url);
  shown.username = shown.password = shown.search = shown.hash = '';
  return shown.href;
}
