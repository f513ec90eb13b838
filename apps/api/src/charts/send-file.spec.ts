import { createServer, get, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { contributionFileLimiter } from './download-limiter';
import { endWhenStalled, LongTableDownloads } from './send-file';
import { type LongTable } from './table-body';

const STALL_MS = 50;

describe('a response whose client has stopped reading', () => {
  let server: Server;
  afterEach(() => server.close());

  const answerOf = (listener: RequestListener): Promise<IncomingMessage> =>
    new Promise((resolve) => {
      server = createServer(listener).listen(0, () => get({ port: (server.address() as AddressInfo).port }, resolve));
    });

  it('is closed after the timeout', async () => {
    const ended = new Promise<void>((resolve) => {
      void answerOf((_request, response) => {
        endWhenStalled(response, STALL_MS);
        response.once('close', resolve);
        response.write(Buffer.alloc(64 * 1024 * 1024)); // more than socket buffers hold
      }).then((answer) => answer.on('error', () => undefined).pause());
    });
    await expect(ended).resolves.toBeUndefined();
  });

  it('is not closed while the server has no bytes for it', async () => {
    const answer = await answerOf((_request, response) => {
      endWhenStalled(response, STALL_MS);
      response.write('a');
      setTimeout(() => response.end('b'), 4 * STALL_MS);
    });
    const pieces: Buffer[] = [];
    for await (const piece of answer) pieces.push(piece as Buffer);
    expect(Buffer.concat(pieces).toString()).toBe('ab');
  });
});

const REFUSED = { code: 'unavailable', parts: { headers: { 'retry-after': '10' } } };

describe('the limit of contribution files', () => {
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());

  it('admits waiting requests in order of arrival', async () => {
    const limiter = contributionFileLimiter(1, 2_000);
    const [, first] = await limiter.acquire();
    const order: string[] = [];
    const [second, third] = ['second', 'third'].map((name) =>
      limiter.acquire().then(([, release]) => (order.push(name), release)),
    );
    await jest.advanceTimersByTimeAsync(1_999);
    expect(order).toEqual([]);
    first();
    (await second)();
    await third;
    expect(order).toEqual(['second', 'third']);
    await jest.advanceTimersByTimeAsync(10_000); // an admitted request is not rejected later
  });

  it('rejects a request that has waited too long, and reserves no slot for it', async () => {
    const limiter = contributionFileLimiter(1, 2_000);
    const [, first] = await limiter.acquire();
    const late = expect(limiter.acquire()).rejects.toMatchObject(REFUSED);
    await jest.advanceTimersByTimeAsync(2_000);
    await late;
    first();
    await expect(limiter.acquire()).resolves.toBeDefined();
  });

  it('counts repeated calls of a release function once', async () => {
    const limiter = contributionFileLimiter(1, 2_000);
    const [, first] = await limiter.acquire();
    first();
    first();
    await limiter.acquire();
    const second = expect(limiter.acquire()).rejects.toMatchObject(REFUSED);
    await jest.advanceTimersByTimeAsync(2_000);
    await second;
  });
});

const table = (key: string): LongTable => ({ key }) as LongTable;

describe('downloads of long tables', () => {
  const open = (downloads: LongTableDownloads, keys: readonly string[]) =>
    Promise.all(keys.map((key) => downloads.open(table(key))));

  it('of one table share its rows until the last of them ends', async () => {
    const downloads = new LongTableDownloads();
    const first = { ...table('a'), pieces: jest.fn() };
    const [one, other] = await Promise.all([first, table('a')].map((made) => downloads.open(made)));
    expect(other.pieces).toBe(first.pieces);
    expect(downloads.get('a')).toBe(first);
    one.close();
    expect(downloads.get('a')).toBe(first);
    other.close();
    expect(downloads.get('a')).toBeUndefined();
  });

  it('are limited to four tables; a request for a fifth table is rejected', async () => {
    const downloads = new LongTableDownloads();
    const [{ close }] = await open(downloads, ['a', 'b', 'c', 'd']);
    await expect(downloads.open(table('e'))).rejects.toMatchObject(REFUSED);
    expect(downloads.get('e')).toBeUndefined();
    await downloads.open(table('b'));
    close();
    await downloads.open(table('e'));
  });

  it('are limited to 64 across all tables', async () => {
    const downloads = new LongTableDownloads();
    const files = await open(
      downloads,
      Array.from({ length: 64 }, (_, n) => 'ab'[n % 2]),
    );
    await expect(downloads.open(table('a'))).rejects.toThrow('64 downloads of large chart files are running');
    await expect(downloads.open(table('c'))).rejects.toThrow('64 downloads of large chart files are running');
    expect(downloads.get('c')).toBeUndefined();
    for (const { close } of files) close();
    expect(await open(downloads, Array<string>(64).fill('c'))).toHaveLength(64);
  });
});
