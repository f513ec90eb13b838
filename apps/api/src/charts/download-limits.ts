import { Semaphore, type SemaphoreInterface, withTimeout } from 'async-mutex';
import { Problem } from '../http/problem';
import { type LongTable, type OpenFile } from './table-body';

/** Each holds a connection to the database until it has been sent. */
const MAX_CONTRIBUTION_FILES = 4;
/** Most files are short: a client that waits for so long usually gets its file. */
const CONTRIBUTION_FILE_WAIT_MS = 2_000;
/** The rows of one long table may take tens of megabytes. */
const MAX_LONG_TABLES = 4;
/** Clients, some of them slow: gzipped, each takes a third of a megabyte. */
const MAX_LONG_DOWNLOADS = 64;

const tooManyDownloads = (count: number): Problem =>
  new Problem('unavailable', `${count} such files are being read; try again in a moment.`, {
    headers: { 'retry-after': '10' },
  });

/** Limits contribution files that are sent at a time. `acquire` waits for a free one, then rejects with Problem 503. */
export const contributionFileLimiter = (
  max = MAX_CONTRIBUTION_FILES,
  waitMs = CONTRIBUTION_FILE_WAIT_MS,
): SemaphoreInterface => withTimeout(new Semaphore(max), waitMs, tooManyDownloads(max));

/** Tables whose files are too long for the cache, while they are sent. Clients that download one at a time share its rows. */
export class LongTableDownloads {
  private readonly tables = new Map<string, { readonly table: LongTable; downloads: number }>();
  private readonly limiter = new Semaphore(MAX_LONG_DOWNLOADS);

  get(key: string): LongTable | undefined {
    return this.tables.get(key)?.table;
  }

  /** @throws Problem 503 if too many are sent */
  async open(table: LongTable): Promise<OpenFile> {
    const { key } = table;
    const shared = this.tables.get(key) ?? { table, downloads: 0 }; // of a table read twice, the rows already in use
    if (shared.downloads === 0 && this.tables.size >= MAX_LONG_TABLES) throw tooManyDownloads(MAX_LONG_TABLES);
    if (this.limiter.isLocked()) throw tooManyDownloads(MAX_LONG_DOWNLOADS);
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
