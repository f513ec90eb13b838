import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { type IncomingMessage, type Server, type ServerResponse, createServer } from 'node:http';
import { type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { VERSION } from '@donorlens/observability';
import { type DownloadLog, type DownloadRecord, type Downloaded, Downloader, withoutSecrets } from './downloader';
import { type DownloadRequest, SourceError } from './response';

const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');
const FILE = Buffer.from('Mary,F,7065\r\n'.repeat(1000));

class MemoryLog implements DownloadLog {
  readonly records = new Map<string, DownloadRecord>();
  find(url: string) {
    return Promise.resolve(this.records.get(url) ?? null);
  }
  save(record: DownloadRecord) {
    const before = this.records.get(record.url)?.sha256;
    this.records.set(record.url, record);
    const used = [...this.records.values()].some(({ sha256: one }) => one === before);
    return Promise.resolve(before === undefined || used ? null : before);
  }
}

describe('downloads', () => {
  let server: Server;
  let base: string;
  let cache: string;
  let log: MemoryLog;
  let answers: ((request: IncomingMessage, response: ServerResponse) => void)[];
  let asked: IncomingMessage[];
  let downloader: Downloader;

  beforeEach(async () => {
    cache = mkdtempSync(join(tmpdir(), 'donorlens-download-'));
    [log, answers, asked] = [new MemoryLog(), [], []];
    server = createServer((request, response) => {
      asked.push(request);
      (answers.shift() ?? ((_, answer) => answer.writeHead(500).end()))(request, response);
    });
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    downloader = new Downloader({ cache, log, signal: AbortSignal.timeout(20_000), firstPauseMs: 1 });
  });

  afterEach(async () => {
    await downloader.close();
    server.closeAllConnections();
    await new Promise((closed) => server.close(closed));
    rmSync(cache, { recursive: true });
  });

  const sends =
    (bytes: Buffer, headers = {}) =>
    (_: IncomingMessage, response: ServerResponse) =>
      void response.writeHead(200, headers).end(bytes);
  const says =
    (status: number, headers = {}) =>
    (_: IncomingMessage, response: ServerResponse) =>
      void response.writeHead(status, headers).end('body');
  const get = (path = '/names.zip', wanted: Partial<DownloadRequest> = {}) =>
    downloader.get(base + path, { file: 'ssa/names.zip', maxBytes: 8 << 20, ...wanted });
  const bytesOf = (file: Downloaded | null): Buffer | null => file && readFileSync(file.path);

  it('keeps a file by its checksum and sends a conditional request the next time', async () => {
    answers.push(sends(FILE, { etag: '"v1"', 'last-modified': 'Fri, 01 Mar 2024 00:00:00 GMT' }), says(304));
    const first = await get();
    expect(bytesOf(first)).toEqual(FILE);
    expect(first).toMatchObject({ bytes: FILE.length, sha256: sha256(FILE), isNew: true });
    expect(readdirSync(cache)).toEqual([sha256(FILE)]);
    expect(await get()).toEqual({ ...first, isNew: false });
    expect([asked[0].headers['if-none-match'], asked[1].headers['if-none-match']]).toEqual([undefined, '"v1"']);
    expect(asked[1].headers['if-modified-since']).toBe('Fri, 01 Mar 2024 00:00:00 GMT');
  });

  it('downloads the file again if the copy is damaged, incomplete or missing', async () => {
    answers.push(sends(FILE, { etag: '"v1"' }));
    await get();
    for (const damage of [FILE.subarray(0, 100), Buffer.from('x'), null]) {
      const path = join(cache, sha256(FILE));
      if (damage === null) rmSync(path);
      else writeFileSync(path, damage);
      answers.push(sends(FILE, { etag: '"v1"' }));
      expect(await get()).toMatchObject({ bytes: FILE.length, isNew: false });
      expect(asked.at(-1)?.headers['if-none-match']).toBeUndefined();
      expect(readFileSync(path).equals(FILE)).toBe(true);
    }
  });

  it('follows a few redirects', async () => {
    answers.push(says(302, { location: '/moved.zip' }), sends(FILE));
    expect((await get())?.sha256).toBe(sha256(FILE));
    expect(asked[1].url).toBe('/moved.zip');
    answers.push(...Array.from({ length: 7 }, () => says(302, { location: '/again' })));
    await expect(get()).rejects.toThrow('redirects more than 5 times');
    answers.length = 0;
    answers.push(says(302, { location: 'ftp://example.org/x' }));
    await expect(get()).rejects.toThrow('redirects to ftp://example.org');
  });

  it('returns null for a missing file', async () => {
    answers.push(says(404), says(410));
    expect([await get(), await get()]).toEqual([null, null]);
  });

  it('repeats a request once in the form of a crawler, with the contact URL, after a 403', async () => {
    const contactUrl = 'https://example.org/contact';
    const known = new Downloader({ cache, log, contactUrl, signal: AbortSignal.timeout(20_000) });
    answers.push(says(403), sends(FILE), says(302, { location: '/moved.zip' }), says(403), sends(FILE));
    expect((await get())?.sha256).toBe(sha256(FILE));
    expect((await known.get(`${base}/other.zip`, { file: 'x', maxBytes: 8 << 20 }))?.sha256).toBe(sha256(FILE));
    await known.close();
    const plain = `donorlens/${VERSION}`;
    expect(asked.map(({ url, headers }) => [url, headers['user-agent']])).toEqual([
      ['/names.zip', plain],
      ['/names.zip', `Mozilla/5.0 (compatible; ${plain})`],
      ['/other.zip', plain],
      ['/moved.zip', plain],
      ['/other.zip', `Mozilla/5.0 (compatible; ${plain}; +${contactUrl})`],
    ]);
  });

  it('names URL and file after a second 403, and how to load the file manually', async () => {
    answers.push(says(403), says(403), sends(FILE));
    await expect(get('/names.zip?key=1')).rejects.toThrow(
      new SourceError(
        `${base}/names.zip`,
        'answered with status 403 to both forms of the User-Agent. Set CONTACT_URL, or download the file in a browser, ' +
          'save it as ssa/names.zip in a folder, and set DATA_SOURCE to the folder',
      ),
    );
    expect(answers).toHaveLength(1);
  });

  it('retries after a server error, three attempts in total', async () => {
    answers.push(says(503), says(429), sends(FILE));
    expect((await get())?.bytes).toBe(FILE.length);
    answers.push(says(500), says(500), says(500), sends(FILE));
    await expect(get()).rejects.toThrow('answered with status 500');
    expect(answers).toHaveLength(1);
  });

  it('retries if the connection breaks, and leaves no incomplete file', async () => {
    const breaks = (_: IncomingMessage, response: ServerResponse): void => {
      response.writeHead(200, { 'content-length': String(FILE.length) }).write(FILE.subarray(0, 500));
      setTimeout(() => response.destroy(), 20);
    };
    answers.push(breaks, breaks, breaks);
    await expect(get()).rejects.toThrow(SourceError);
    expect(readdirSync(cache)).toEqual([]);
    answers.push(breaks, sends(FILE));
    expect(bytesOf(await get())).toEqual(FILE);
  });

  it('rejects a file that is shorter than announced', async () => {
    const short = (_: IncomingMessage, response: ServerResponse): void => {
      response.socket?.end(`HTTP/1.1 200 OK\r\ncontent-length: ${FILE.length}\r\nconnection: close\r\n\r\nhalf`);
    };
    answers.push(short, short, short);
    await expect(get()).rejects.toThrow(/broke off|sent 4 bytes of/);
    expect([readdirSync(cache), log.records.size]).toEqual([[], 0]);
  });

  it('removes the file that a newer one of the URL replaces, unless another URL has it', async () => {
    const newer = Buffer.from('newer');
    answers.push(sends(FILE), sends(FILE), sends(newer), sends(newer));
    await get('/a');
    await get('/b');
    expect(await get('/a')).toMatchObject({ sha256: sha256(newer), isNew: true });
    expect(readdirSync(cache).sort()).toEqual([sha256(FILE), sha256(newer)].sort());
    await get('/b');
    expect(readdirSync(cache)).toEqual([sha256(newer)]);
  });

  it('removes files of killed downloads, and keeps those of running ones', async () => {
    for (const name of ['old.part', 'young.part']) writeFileSync(join(cache, name), 'x');
    utimesSync(join(cache, 'old.part'), 1, 1);
    answers.push(sends(FILE));
    await get();
    expect(readdirSync(cache).sort()).toEqual([sha256(FILE), 'young.part'].sort());
  });

  it.each([
    [says(401), 'answered with status 401'],
    [sends(Buffer.from('<html>'), { 'content-type': 'text/html; charset=utf-8' }), 'answered with a web page'],
    [sends(Buffer.alloc(0), { 'content-length': '0', 'content-type': 'text/html' }), 'answered with a web page'],
  ])('rejects a response that is not the file', async (answer, message) => {
    answers.push(answer);
    await expect(get()).rejects.toThrow(message);
  });

  it('stops at the size limit, for any announced length', async () => {
    answers.push((_, response) => {
      const piece = Buffer.alloc(1 << 20);
      const more = (): void => {
        while (!response.destroyed && response.write(piece));
        if (!response.destroyed) response.once('drain', more);
      };
      response.writeHead(200);
      more();
    });
    await expect(get()).rejects.toThrow('has more than 8388608 bytes');
    expect(readdirSync(cache)).toEqual([]);
    answers.push(sends(FILE, { 'content-length': String(FILE.length) }), sends(FILE));
    await expect(get('/x', { maxBytes: FILE.length - 1 })).rejects.toThrow(`more than ${FILE.length - 1} bytes`);
    expect((await get('/x', { maxBytes: FILE.length }))?.bytes).toBe(FILE.length);
  });

  it('needs constant memory for files of any length', async () => {
    const piece = Buffer.alloc(1 << 20, 'x');
    const length = 256 * piece.length;
    const before = process.memoryUsage();
    const used: number[] = [];
    answers.push((_, response) => {
      response.writeHead(200, { 'content-length': String(length) });
      let left = 256;
      const more = (): void => {
        const { external, arrayBuffers } = process.memoryUsage();
        used.push(external + arrayBuffers - before.external - before.arrayBuffers);
        while (left-- > 0) if (!response.write(piece)) return void response.once('drain', more);
        response.end();
      };
      more();
    });
    expect(await get('/long', { maxBytes: length })).toMatchObject({ bytes: length });
    expect(used.length).toBeGreaterThan(100); // sampled while the file is sent
    expect(Math.max(...used)).toBeLessThan(length / 2);
  });

  it('fails at its timeout and on a closed port', async () => {
    const short = new Downloader({ cache, log, signal: AbortSignal.timeout(100) });
    answers.push(() => undefined); // never answers
    await expect(short.get(`${base}/slow`, { file: 'x', maxBytes: 1 })).rejects.toThrow('was given up: no time left');
    await short.close();
    await expect(
      downloader.get('http://127.0.0.1:1/names.zip', { file: 'ssa/names.zip', maxBytes: 1 }),
    ).rejects.toThrow(
      'http://127.0.0.1:1/names.zip: cannot be reached (ECONNREFUSED). Check network and proxy, or download the file in a browser, save it as ssa/names.zip in a folder',
    );
  });

  it('shows no secrets of a URL', () => {
    expect(withoutSecrets('https://user:secret@example.org/a/b.zip?token=x#y')).toBe('https://example.org/a/b.zip');
  });
});
