import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { ChartVersionWatch } from '@donorlens/charts';
import { LOGGER, type Logger } from '@donorlens/observability';
import { withTimeout } from '@donorlens/primitives';
import { ReleaseHolder } from '@donorlens/reference-data';
import { LRUCache } from 'lru-cache';
import { LongTableDownloads } from './send-file';
import { published, publishedOrNull, TableReader } from './table-reader';
import {
  type CachedBody,
  type CachedFile,
  isLongTable,
  isWorthGzip,
  type LongFile,
  longFile,
  type LongTable,
  makeBody,
  withGzip,
} from './table-body';
import { type TableQuery } from './table-query';

const MAX_CACHE_BYTES = 128 * 1024 * 1024;
/** Recent queries whose files are made in the background after a version changes. */
const MAX_RECENT = 64;
const POLL_MS = 1_000;
/** The start waits only this long for the published versions, because lookups do not need them. */
const FIRST_READ_MS = 1_000;

/** A cache bounded by bytes; it does not store a body of more than a quarter of the limit. */
export const bodyCache = (maxBytes: number): LRUCache<string, CachedBody> =>
  new LRUCache({ maxSize: maxBytes, maxEntrySize: maxBytes / 4, sizeCalculation: ({ bytes }) => bytes });

const keyOf = (versionId: string, { table, canonical }: TableQuery): string =>
  `${versionId} ${table.path}?${canonical}`;

/**
 * Makes files once per version and query. A cached file needs no SQL query, and concurrent requests for the same file
 * share one computation. After a version changes, the files of recent queries are made in the background. A long file
 * is not cached, but concurrent downloads share its rows.
 */
@Injectable()
export class TableBodies implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly cache = bodyCache(MAX_CACHE_BYTES);
  private readonly downloads = new LongTableDownloads();
  private readonly making = new Map<string, Promise<CachedBody | LongTable>>();
  private readonly compressing = new Map<string, Promise<CachedFile>>();
  private readonly recent = new LRUCache<string, TableQuery>({ max: MAX_RECENT });
  private timer: NodeJS.Timeout | undefined;
  private filledFor = '';
  private filling: Promise<void> | undefined;

  constructor(
    private readonly reader: TableReader,
    private readonly watch: ChartVersionWatch,
    @Inject(ReleaseHolder) private readonly releases: Pick<ReleaseHolder, 'current'>,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    await withTimeout(FIRST_READ_MS, () => this.watch.start()).catch(() => undefined);
    this.timer = setInterval(() => void this.refill(), POLL_MS).unref();
  }

  onApplicationShutdown(): void {
    clearInterval(this.timer);
    this.watch.stop();
  }

  /**
   * The file in the accepted encoding; synchronous if it is cached.
   * @throws Problem 503 before the first version is published
   */
  find(query: TableQuery, gzip: boolean): CachedFile | LongFile | Promise<CachedFile | LongFile> {
    const key = keyOf(published(this.watch, query.table.madeFrom).id, query);
    const long = this.downloads.get(key);
    if (long !== undefined) return this.longFile(long, gzip);
    this.recent.set(recentKey(query), query);
    const body = this.cache.get(key);
    if (body !== undefined) return this.encoded(key, body, gzip);
    return this.makeOnce(key, query).then((made) =>
      isLongTable(made) ? this.longFile(made, gzip) : this.encoded(key, made, gzip),
    );
  }

  /** Makes the files of recent queries for new versions; concurrent calls share one run. */
  refill(): Promise<void> {
    return (this.filling ??= this.fill().finally(() => (this.filling = undefined)));
  }

  /** Repeats until the cache has the current versions, which may change while it runs. */
  private async fill(): Promise<void> {
    for (let ids = this.versionIds(); ids.join() !== this.filledFor; ids = this.versionIds()) {
      this.filledFor = ids.join();
      for (const query of [...this.recent.values()]) await this.makeAgain(query);
      const current = this.versionIds().filter((id) => id !== undefined);
      for (const key of [...this.cache.keys()])
        if (!current.some((id) => key.startsWith(`${id} `))) this.cache.delete(key);
    }
  }

  private versionIds(): readonly (string | undefined)[] {
    const versions = this.watch.current();
    return [publishedOrNull(versions, 'charts')?.id, publishedOrNull(versions, 'masters')?.id];
  }

  private async makeAgain(query: TableQuery): Promise<void> {
    const id = publishedOrNull(this.watch.current(), query.table.madeFrom)?.id;
    if (id === undefined || this.isOfOtherRelease(query) || this.cache.has(keyOf(id, query))) return;
    await this.makeOnce(keyOf(id, query), query).catch((error: unknown) =>
      this.logger.warn(
        { err: error, file: query.table.path },
        'cached file could not be created for the new charts version',
      ),
    );
  }

  /** True for a query that named another data release than the active one: requests name the active one. */
  private isOfOtherRelease({ dataRelease }: TableQuery): boolean {
    return dataRelease !== undefined && dataRelease !== (this.releases.current()?.id ?? null);
  }

  private makeOnce(key: string, query: TableQuery): Promise<CachedBody | LongTable> {
    return shared(this.making, key, () => this.make(query));
  }

  private async make(query: TableQuery): Promise<CachedBody | LongTable> {
    const { version, rows } = await this.reader.read(query.table, query.lists, query.dataRelease);
    const key = keyOf(version.id, query);
    const body = await makeBody(key, query, version, rows);
    if (isLongTable(body)) this.recent.delete(recentKey(query));
    else this.cache.set(key, body);
    return body;
  }

  private longFile(table: LongTable, gzip: boolean): LongFile {
    return longFile(table, gzip, () => this.downloads.open(table));
  }

  private encoded(key: string, body: CachedBody, gzip: boolean): CachedFile | Promise<CachedFile> {
    if (!gzip || !isWorthGzip(body)) return body.plain;
    return body.gzipped ?? shared(this.compressing, body.plain.etag, () => this.compressed(key, body));
  }

  private async compressed(key: string, body: CachedBody): Promise<CachedFile> {
    const both = await withGzip(body);
    if (this.cache.has(key)) this.cache.set(key, both);
    return both.gzipped;
  }
}

const recentKey = (query: TableQuery): string => keyOf('', query);

/** Concurrent callers of one key share one run. */
function shared<T>(running: Map<string, Promise<T>>, key: string, make: () => Promise<T>): Promise<T> {
  const before = running.get(key);
  if (before !== undefined) return before;
  const making = make().finally(() => running.delete(key));
  running.set(key, making);
  return making;
}
