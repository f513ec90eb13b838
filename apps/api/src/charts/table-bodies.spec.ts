import { type ChartVersionWatch, type CumulativeDonorsRow, type PublishedVersions } from '@donorlens/charts';
import { createLogger } from '@donorlens/observability';
import { type Release } from '@donorlens/reference-data';
import { CANDIDATE_SEARCH, CUMULATIVE_DONORS, type DataTable } from './data-tables';
import { bodyCache, TableBodies } from './table-bodies';
import { type CachedBody, isLongFile, MAX_CACHED_BYTES } from './table-body';
import { type TableQuery } from './table-query';
import { type TableReader, type VersionedRows } from './table-reader';

const query = (canonical: string, table: DataTable = CUMULATIVE_DONORS): TableQuery => ({
  table,
  format: 'csv',
  raw: false,
  bom: false,
  canonical,
  lists: {},
  nameParts: [],
});

const ROW: CumulativeDonorsRow = { cycle: 2016, candidateId: 'P00000001', date: '2015-01-01', donors: 1 };
const LINE = `${Object.values(ROW).join(',')}\n`;
type Rows = VersionedRows<CumulativeDonorsRow>;

/** A database whose versions and answers the test controls. */
class Database {
  readonly read = jest.fn((): Promise<Rows> => this.answer());
  readonly bodies: TableBodies;
  answer = (): Promise<Rows> => Promise.resolve(this.rows());
  activeRelease = 'release-1';
  private versions: PublishedVersions = { charts: null, masters: null };

  constructor(private readonly lines: Iterable<CumulativeDonorsRow> = [ROW]) {
    this.publish(1);
    this.bodies = new TableBodies(
      { read: this.read } as unknown as TableReader,
      { current: () => this.versions } as ChartVersionWatch,
      { current: () => ({ id: this.activeRelease }) as Release },
      createLogger('api', 'silent'),
    );
  }

  publish(id: number): void {
    this.versions = { charts: { id: String(id), builtAt: new Date(id) }, masters: null };
  }

  rows(): Rows {
    const { id, builtAt } = this.versions.charts!;
    return { version: { id, at: builtAt }, rows: this.lines };
  }

  /** Delays the next answer, which has the current version, until the returned function is called. */
  hold(): () => void {
    const rows = this.rows();
    let release: () => void = () => undefined;
    const held = new Promise<Rows>((resolve) => (release = () => resolve(rows)));
    this.read.mockReturnValueOnce(held);
    return release;
  }
}

const text = async (pieces: AsyncIterable<Buffer>): Promise<string> => {
  const all: Buffer[] = [];
  for await (const piece of pieces) all.push(piece);
  return Buffer.concat(all).toString();
};

describe('cached files', () => {
  it('are made once for concurrent requests', async () => {
    const database = new Database();
    const two = await Promise.all([database.bodies.find(query('a'), false), database.bodies.find(query('a'), false)]);
    expect([two[0] === two[1], database.read.mock.calls.length]).toEqual([true, 1]);
  });

  it('are gzipped once for concurrent requests', async () => {
    const database = new Database(Array<CumulativeDonorsRow>(1_000).fill(ROW));
    const two = await Promise.all([database.bodies.find(query('a'), true), database.bodies.find(query('a'), true)]);
    expect([two[0] === two[1], two[0].headers['content-encoding']]).toEqual([true, 'gzip']);
  });

  it('have the latest version, even if versions change while they are made', async () => {
    const database = new Database();
    await database.bodies.find(query('a'), false);
    database.publish(2);
    const release = database.hold();
    const refills = [database.bodies.refill()];
    database.publish(3);
    refills.push(database.bodies.refill());
    await database.bodies.find(query('b'), false);
    release();
    await Promise.all(refills);
    const reads = database.read.mock.calls.length;
    expect(reads).toBe(4); // `a` for each version, `b` once
    for (const canonical of ['a', 'b'])
      expect(await database.bodies.find(query(canonical), false)).toMatchObject({
        headers: { 'data-version': 'charts-3' },
      });
    expect(database.read).toHaveBeenCalledTimes(reads);
  });

  it('are made again with the data release that they name, only while it is active', async () => {
    const database = new Database();
    const ofRelease = (id: string) => ({ ...query(`data_release=${id}`), dataRelease: id });
    await database.bodies.find(ofRelease('release-1'), false);
    database.activeRelease = 'release-2';
    await database.bodies.find(ofRelease('release-2'), false);
    database.publish(2);
    await database.bodies.refill();
    const reads = ['release-1', 'release-2', 'release-2'].map((id) => [CUMULATIVE_DONORS, {}, id]);
    expect(database.read.mock.calls).toEqual(reads);
  });

  it('are made again after an error', async () => {
    const database = new Database();
    database.read.mockRejectedValueOnce(new Error('gone'));
    await expect(database.bodies.find(query('a'), false)).rejects.toThrow('gone');
    expect(await database.bodies.find(query('a'), false)).toMatchObject({ bytes: expect.any(Buffer) as Buffer });
  });
});

describe('files of more than 8 MB', () => {
  const lines = Math.ceil(MAX_CACHED_BYTES / LINE.length);
  const long = Array<CumulativeDonorsRow>(lines).fill(ROW);

  it('are streamed to each client from rows that are read once', async () => {
    const database = new Database(long);
    const found = await Promise.all([database.bodies.find(query('a'), false), database.bodies.find(query('a'), true)]);
    expect(database.read).toHaveBeenCalledTimes(1);
    const [plain, gzipped] = found.map((one) => {
      if (!isLongFile(one)) throw new Error('is not long');
      return one;
    });
    const header = `${Object.keys(CUMULATIVE_DONORS.columns).join(',')}\n`;
    for (const one of [plain, gzipped, plain])
      expect((await text((await one.open()).pieces())) === header + LINE.repeat(lines)).toBe(true);
    expect(plain.headers).not.toHaveProperty('content-length');
    expect(gzipped.etag).toBe(plain.etag.replace(/"$/, '-gzip"'));
  });

  it('share their rows with later clients until the last client ends', async () => {
    const database = new Database(long);
    const first = await database.bodies.find(query('a'), false);
    if (!isLongFile(first)) throw new Error('is not long');
    const { close } = await first.open();
    expect(database.bodies.find(query('a'), true)).toMatchObject({ etag: first.etag.replace(/"$/, '-gzip"') });
    expect(database.read).toHaveBeenCalledTimes(1);
    close();
    await database.bodies.find(query('a'), false);
    expect(database.read).toHaveBeenCalledTimes(2);
  });

  it('are neither cached nor made again in the background', async () => {
    const database = new Database(long);
    await database.bodies.find(query('a'), false);
    await database.bodies.find(query('a'), false);
    expect(database.read).toHaveBeenCalledTimes(2);
    database.publish(2);
    await database.bodies.refill();
    expect(database.read).toHaveBeenCalledTimes(2);
  });

  it('are not cached, unlike files of up to 8 MB', async () => {
    const header = Buffer.byteLength(`${Object.keys(CUMULATIVE_DONORS.columns).join(',')}\n`);
    const database = new Database(long.slice(0, Math.floor((MAX_CACHED_BYTES - header) / LINE.length)));
    expect(await database.bodies.find(query('a'), false)).toHaveProperty('bytes');
  });
});

describe('files before the first version', () => {
  it('are answered with 503', () => {
    const database = new Database();
    expect(() => database.bodies.find(query('a', CANDIDATE_SEARCH), false)).toThrow('No candidates');
  });
});

describe('the cache of bodies', () => {
  const body = (bytes: number): CachedBody => ({ bytes }) as CachedBody;

  it('is bounded by bytes, and evicts the least recently used body', () => {
    const cache = bodyCache(100);
    for (const key of ['a', 'b', 'c', 'd']) cache.set(key, body(25));
    cache.get('a');
    cache.set('e', body(25));
    expect(['a', 'b', 'c', 'd', 'e'].filter((key) => cache.has(key))).toEqual(['a', 'c', 'd', 'e']);
    expect(cache.calculatedSize).toBe(100);
  });

  it('does not store a body of more than a quarter of its size', () => {
    const cache = bodyCache(100);
    cache.set('a', body(20));
    cache.set('b', body(26));
    expect([cache.get('a'), cache.get('b'), cache.calculatedSize]).toEqual([body(20), undefined, 20]);
  });

  it('counts a replaced body once', () => {
    const cache = bodyCache(100);
    cache.set('1 a', body(20));
    cache.set('1 a', body(10));
    expect(cache.calculatedSize).toBe(10);
  });

  it('drops the bodies of versions that are no longer current', async () => {
    const database = new Database();
    await database.bodies.find(query('a'), false);
    await database.bodies.refill();
    database.publish(2);
    await database.bodies.refill();
    database.publish(1);
    await database.bodies.find(query('a'), false);
    expect(database.read).toHaveBeenCalledTimes(3);
  });
});
