import { type ChartVersionWatch, type PublishedVersions } from '@donorlens/charts';
import { createLogger } from '@donorlens/observability';
import { Question } from './question';
import { TableBodies } from './table-bodies';
import { isLongVariant, MOST_WHOLE } from './table-body';
import { CANDIDATE_SEARCH, CUMULATIVE_DONORS } from './table-files';
import { type TableQuery } from './table-query';
import { type TableRows, type VersionedRows } from './table-rows';
import { type TableRow } from './table-text';

const question = (canonical: string, file = CUMULATIVE_DONORS): Question =>
  new Question(file, { format: 'csv', raw: false, canonical, lists: {} } as unknown as TableQuery);

const LINE: TableRow = [2016, 'P00000001', '2015-01-01', 1];
const LINE_BYTES = Buffer.byteLength(`${LINE.join(',')}\n`);

/** A database of which a test says what is published and when it answers. */
class Database {
  readonly read = jest.fn((): Promise<VersionedRows> => this.answer());
  readonly bodies: TableBodies;
  answer = (): Promise<VersionedRows> => Promise.resolve(this.rows());
  private versions: PublishedVersions = { charts: null, masters: null };

  constructor(private readonly lines: Iterable<TableRow> = [LINE]) {
    this.publish(1);
    this.bodies = new TableBodies(
      { read: this.read } as unknown as TableRows,
      { current: () => this.versions } as ChartVersionWatch,
      createLogger('api', 'silent'),
    );
  }

  publish(id: number): void {
    this.versions = { charts: { id: String(id), builtAt: new Date(id) }, masters: null };
  }

  rows(): VersionedRows {
    const { id, builtAt } = this.versions.charts!;
    return { version: { id, at: builtAt }, rows: this.lines };
  }

  /** The next answer waits until it is let go; it is of the version as of now. */
  hold(): () => void {
    const rows = this.rows();
    let letGo: () => void = () => undefined;
    const held = new Promise<VersionedRows>((resolve) => (letGo = () => resolve(rows)));
    this.read.mockReturnValueOnce(held);
    return letGo;
  }
}

const text = async (pieces: AsyncIterable<Buffer>): Promise<string> => {
  const all: Buffer[] = [];
  for await (const piece of pieces) all.push(piece);
  return Buffer.concat(all).toString();
};

describe('files that are made once', () => {
  it('are made once for all who ask at a time', async () => {
    const database = new Database();
    const two = await Promise.all([
      database.bodies.find(question('a'), false),
      database.bodies.find(question('a'), false),
    ]);
    expect([two[0] === two[1], database.read.mock.calls.length]).toEqual([true, 1]);
  });

  it('are gzipped once for all who ask at a time', async () => {
    const database = new Database(Array<TableRow>(1_000).fill(LINE));
    const two = await Promise.all([
      database.bodies.find(question('a'), true),
      database.bodies.find(question('a'), true),
    ]);
    expect([two[0] === two[1], two[0].headers['content-encoding']]).toEqual([true, 'gzip']);
  });

  it('are kept for the version that is current in the end, where making them anew takes longer than a version stands', async () => {
    const database = new Database();
    await database.bodies.find(question('a'), false);
    database.publish(2);
    const letGo = database.hold();
    const refills = [database.bodies.refill()];
    database.publish(3);
    refills.push(database.bodies.refill());
    await database.bodies.find(question('b'), false);
    letGo();
    await Promise.all(refills);
    const reads = database.read.mock.calls.length;
    expect(reads).toBe(4); // a for each version, b once
    for (const canonical of ['a', 'b'])
      expect(await database.bodies.find(question(canonical), false)).toMatchObject({
        headers: { 'data-version': 'charts-3' },
      });
    expect(database.read).toHaveBeenCalledTimes(reads);
  });

  it('are made anew where the making failed before', async () => {
    const database = new Database();
    database.read.mockRejectedValueOnce(new Error('gone'));
    await expect(database.bodies.find(question('a'), false)).rejects.toThrow('gone');
    expect(await database.bodies.find(question('a'), false)).toMatchObject({ bytes: expect.any(Buffer) as Buffer });
  });
});

describe('files of more than 8 MB', () => {
  const lines = Math.ceil(MOST_WHOLE / LINE_BYTES);
  const long = Array<TableRow>(lines).fill(LINE);

  it('are written while they leave, for each who asks, from rows that are read once', async () => {
    const database = new Database(long);
    const found = await Promise.all([
      database.bodies.find(question('a'), false),
      database.bodies.find(question('a'), true),
    ]);
    expect(database.read).toHaveBeenCalledTimes(1);
    const [plain, gzipped] = found.map((one) => {
      if (!isLongVariant(one)) throw new Error('is whole');
      return one;
    });
    const header = `${Object.keys(CUMULATIVE_DONORS.columns).join(',')}\n`;
    for (const one of [plain, gzipped, plain])
      expect((await text(one.read().pieces())) === header + `${LINE.join(',')}\n`.repeat(lines)).toBe(true);
    expect(plain.headers).not.toHaveProperty('content-length');
    expect(gzipped.etag).toBe(plain.etag.replace(/"$/, '-gzip"'));
  });

  it('are the same for who comes while they are read, and leave the memory with the last reader', async () => {
    const database = new Database(long);
    const first = await database.bodies.find(question('a'), false);
    if (!isLongVariant(first)) throw new Error('is whole');
    const { end } = first.read();
    expect(database.bodies.find(question('a'), true)).toMatchObject({ etag: first.etag.replace(/"$/, '-gzip"') });
    expect(database.read).toHaveBeenCalledTimes(1);
    end();
    await database.bodies.find(question('a'), false);
    expect(database.read).toHaveBeenCalledTimes(2);
  });

  it('are neither kept nor made anew by themselves', async () => {
    const database = new Database(long);
    await database.bodies.find(question('a'), false);
    await database.bodies.find(question('a'), false);
    expect(database.read).toHaveBeenCalledTimes(2);
    database.publish(2);
    await database.bodies.refill();
    expect(database.read).toHaveBeenCalledTimes(2);
  });

  it('are whole up to there', async () => {
    const header = Buffer.byteLength(`${Object.keys(CUMULATIVE_DONORS.columns).join(',')}\n`);
    const database = new Database(long.slice(0, Math.floor((MOST_WHOLE - header) / LINE_BYTES)));
    expect(await database.bodies.find(question('a'), false)).toHaveProperty('bytes');
  });
});

describe('files before there is anything to make them of', () => {
  it('are a 503', () => {
    const database = new Database();
    expect(() => database.bodies.find(question('a', CANDIDATE_SEARCH), false)).toThrow('No candidates');
  });
});
