import { setTimeout as pause } from 'node:timers/promises';
import { Agent, type Dispatcher, request } from 'undici';
import { VERSION } from '@donorlens/observability';
import {
  type DownloadRequest,
  WorthARetry,
  bounded,
  discarded,
  byHand,
  header,
  refusalOf,
  codeOf,
  SourceError,
} from './response';
import { CacheFolder } from './cache-folder';

export interface DownloaderOptions {
  /** folder of the downloaded files, each called by its SHA-256 */
  readonly cache: string;
  readonly log: DownloadLog;
  /** stops everything: the caller's wish or the end of the budget */
  readonly signal: AbortSignal;
  /** URL at which the operator can be reached, sent to a publisher that answers 403. */
  readonly contactUrl?: string;
  /** 1 s by default; a test sets less */
  readonly firstPauseMs?: number;
}

export interface Downloaded {
  readonly path: string;
  readonly sha256: string;
  readonly bytes: number;
  /** when these bytes came over the network, ISO 8601 */
  readonly retrievedAt: string;
  /** False if the last download of the URL had the same bytes. */
  readonly isNew: boolean;
}

const CONNECT_TIMEOUT_MS = 5_000;
const SILENCE_MS = 30_000; // longest wait for headers, and between two pieces of a body
const MAX_REDIRECTS = 5;
const TRIES = 3; // pauses of 1 s and 3 s between them: a hiccup, not an outage
const NETWORK_DOWN = [
  'ENOTFOUND',
  'EAI_AGAIN',
  'ECONNREFUSED',
  'ENETUNREACH',
  'EHOSTUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
];
/** Error codes of the disk, not of the network: a retry would not help. */
const DISK = ['ENOSPC', 'EACCES', 'EROFS', 'EDQUOT', 'ENOTDIR', 'EMFILE'];
/**
 * One official host answers browsers with 403 and plain programs with the file; others want a crawler's form, with a
 * contact.
 */
const USER_AGENT = `donorlens/${VERSION}`;
const crawlerAgent = (contactUrl?: string): string =>
  `Mozilla/5.0 (compatible; ${USER_AGENT}${contactUrl === undefined ? '' : `; +${contactUrl}`})`;

/**
 * Gets files over HTTP into a folder, once: a file that did not change is taken from there. Bodies go to the disk
 * piece by piece, so that memory does not grow with their length.
 */
export class Downloader {
  private readonly cache: CacheFolder;
  private readonly agent = new Agent({
    connect: { timeout: CONNECT_TIMEOUT_MS },
    headersTimeout: SILENCE_MS,
    bodyTimeout: SILENCE_MS,
  });

  constructor(private readonly options: DownloaderOptions) {
    this.cache = new CacheFolder(options.cache);
  }

  close(): Promise<void> {
    return this.agent.destroy();
  }

  /**
   * @returns null if the server answers that the file does not exist (404, 410)
   * @throws SourceError
   */
  async get(url: string, wanted: DownloadRequest): Promise<Downloaded | null> {
    for (let run = 1; ; run++)
      try {
        return await this.tryOnce(url, wanted);
      } catch (error) {
        if (!(error instanceof WorthARetry) || run === TRIES) throw error;
        const { firstPauseMs = 1000, signal } = this.options;
        await pause(firstPauseMs * 3 ** (run - 1), undefined, { signal }).catch((reason: unknown) => {
          throw this.explained(url, reason, wanted);
        });
      }
  }

  private async tryOnce(url: string, wanted: DownloadRequest): Promise<Downloaded | null> {
    const known = await this.known(url);
    try {
      let answer = await this.followed(url, known, USER_AGENT);
      if (answer.statusCode === 403) {
        await discarded(answer, null);
        answer = await this.followed(url, known, crawlerAgent(this.options.contactUrl));
      }
      if (answer.statusCode === 404 || answer.statusCode === 410) return await discarded(answer, null);
      if (answer.statusCode === 304 && known) return await discarded(answer, this.fileOf(known, false));
      return await this.saved(url, answer, wanted);
    } catch (error) {
      throw this.explained(url, error, wanted);
    }
  }

  /** The last download, if its file exists and is complete; else it is downloaded again. */
  private async known(url: string): Promise<DownloadRecord | null> {
    const record = await this.options.log.find(withoutSecrets(url));
    return record !== null && (await this.cache.holds(record)) ? record : null;
  }

  private fileOf({ sha256, bytes, retrievedAt }: DownloadRecord, isNew: boolean): Downloaded {
    return { path: this.cache.pathOf(sha256), sha256, bytes, retrievedAt, isNew };
  }

  private async followed(
    url: string,
    known: DownloadRecord | null,
    userAgent: string,
  ): Promise<Dispatcher.ResponseData> {
    const headers: Record<string, string> = { 'user-agent': userAgent };
    if (known?.etag) headers['if-none-match'] = known.etag;
    if (known?.lastModified) headers['if-modified-since'] = known.lastModified;
    let at = new URL(url);
    for (let hop = 0; hop <= MAX_REDIRECTS; hop++) {
      const answer = await request(at, { dispatcher: this.agent, headers, signal: this.options.signal });
      if (![301, 302, 303, 307, 308].includes(answer.statusCode)) return answer;
      await discarded(answer, null);
      const { location } = answer.headers;
      const next = new URL(typeof location === 'string' ? location : '', at);
      if (next.protocol !== at.protocol && next.protocol !== 'https:')
        throw new SourceError(withoutSecrets(url), `redirects to ${next.protocol}//${next.host}`);
      at = next;
    }
    throw new SourceError(withoutSecrets(url), `redirects more than ${MAX_REDIRECTS} times`);
  }

  private async saved(url: string, answer: Dispatcher.ResponseData, wanted: DownloadRequest): Promise<Downloaded> {
    const location = withoutSecrets(url);
    const refusal = refusalOf(location, answer, wanted);
    if (refusal !== null) throw await discarded(answer, refusal);
    const before = await this.options.log.find(location);
    const { sha256, bytes } = await this.cache.store(bounded(location, answer, wanted));
    const record: DownloadRecord = {
      url: location,
      etag: header(answer, 'etag'),
      lastModified: header(answer, 'last-modified'),
      sha256,
      bytes,
      retrievedAt: new Date().toISOString(),
    };
    const unused = await this.options.log.save(record);
    if (unused !== null) await this.cache.remove(unused);
    return this.fileOf(record, before?.sha256 !== sha256);
  }

  private explained(url: string, error: unknown, { file }: DownloadRequest): unknown {
    const location = withoutSecrets(url);
    if (error instanceof SourceError) return error;
    if (this.options.signal.aborted) return new SourceError(location, 'was given up: no time left');
    const code = codeOf(error);
    if (NETWORK_DOWN.includes(code))
      return new SourceError(location, `cannot be reached (${code}). Check network and proxy, or ${byHand(file)}`);
    if (DISK.includes(code)) return new SourceError(location, `cannot be stored in ${this.options.cache} (${code})`);
    return code === '' ? error : new WorthARetry(location, `broke off (${code})`);
  }
}

/** An address as it may be shown and stored: without user, password and query. */
export function withoutSecrets(url: string): string {
  const shown = new URL(url);
  shown.username = shown.password = shown.search = shown.hash = '';
  return shown.href;
}

/** Validators of the last download of a URL, for a conditional request. */
export interface DownloadRecord {
  readonly url: string;
  readonly etag: string | null;
  readonly lastModified: string | null;
  readonly sha256: string;
  readonly bytes: number;
  /** ISO 8601, UTC */
  readonly retrievedAt: string;
}

/** Stores records of downloads. */
export interface DownloadLog {
  find(url: string): Promise<DownloadRecord | null>;
  /** @returns the former checksum of the URL, if no other URL has it; else null */
  save(record: DownloadRecord): Promise<string | null>;
}
