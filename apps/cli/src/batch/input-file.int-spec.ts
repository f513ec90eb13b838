import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { formatOf, inputFile, uploadOf } from './input-file';
import { queryOf } from './submit';

const ITCONT = 'C00000001|A|M2|P||15|IND|DOE, JANE|TOWN|NY|10001|||01022016|250||SA1|1||X|4000000000000000001\n';

describe('a file to send', () => {
  let folder: string;
  const file = (name: string, content: string | Buffer): string => {
    writeFileSync(join(folder, name), content);
    return join(folder, name);
  };
  const bodyOf = async (path: string, compress: boolean): Promise<Buffer> => {
    const pieces: Uint8Array[] = [];
    for await (const piece of uploadOf(inputFile(path), compress, () => undefined).body()) pieces.push(piece as Buffer);
    return Buffer.concat(pieces);
  };
  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'donorlens-input-'))));
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it('must exist and must not be a folder', () => {
    expect(() => inputFile(join(folder, 'none.csv'))).toThrow('none.csv does not exist');
    expect(() => inputFile(folder)).toThrow('is a folder');
  });

  it('is detected as a workbook by its first bytes and not compressed; .xls files are rejected', async () => {
    const workbook = Buffer.from('504b0304', 'hex');
    expect(inputFile(file('a.bin', workbook), 'csv')).toMatchObject({ format: 'xlsx', header: null });
    expect(inputFile(file('a.xlsx.gz', gzipSync(workbook))).format).toBe('xlsx');
    expect(await bodyOf(file('a.xlsx', workbook), true)).toEqual(workbook);
    expect(() => inputFile(file('a.xlsx', Buffer.from('d0cf11e0', 'hex')))).toThrow(
      expect.objectContaining({ exitCode: 2, message: expect.stringContaining('save it as .xlsx') }),
    );
  });

  it('is detected by its name, and an FEC file by its first row', () => {
    expect(inputFile(file('a.csv', 'name\nx\n')).format).toBe('csv');
    expect(inputFile(file('a.jsonl', '{}')).format).toBe('ndjson');
    expect(inputFile(file('a.json', '{}')).format).toBe('json');
    expect(inputFile(file('itcont.txt', ITCONT)).format).toBe('itcont');
    expect(inputFile(file('itcont.txt.gz', gzipSync(ITCONT.repeat(2000)))).format).toBe('itcont');
    expect(formatOf('other.txt', 'NAME|CITY\n')).toBe('csv');
    expect(inputFile(file('a.txt', ITCONT), 'csv').format).toBe('csv');
  });

  it('has a header only if it is a CSV file', () => {
    expect(inputFile(file('a.csv', '\n"Né",b\r\nx,1\n')).header).toBe('"Né",b');
    expect(inputFile(file('w.csv', Buffer.from('Geb\xfchr,\x80\nx,1\n', 'latin1'))).header).toBe('Gebühr,€');
    const utf16 = Buffer.from('\ufeffN\u0161;b\r\nx;1', 'utf16le');
    expect(inputFile(file('u.csv', utf16)).header).toBe('N\u0161;b');
    expect(inputFile(file('v.csv', Buffer.from(utf16).swap16())).header).toBe('N\u0161;b');
    expect(inputFile(file('b.csv.gz', gzipSync('a;b\rx;1'))).header).toBe('a;b');
    expect(inputFile(file('itcont.txt', ITCONT)).header).toBeNull();
    expect(inputFile(file('a.json', '{}')).header).toBeNull();
  });

  it('is compressed during the upload, unless it is compressed already', async () => {
    const text = 'name\n'.repeat(10_000);
    const plain = file('a.csv', text);
    const packed = file('b.csv.gz', gzipSync(text));
    expect((await bodyOf(plain, false)).toString()).toBe(text);
    expect(gunzipSync(await bodyOf(plain, true)).toString()).toBe(text);
    expect(gunzipSync(await bodyOf(packed, true)).toString()).toBe(text);
    expect(uploadOf(inputFile(packed), false, () => undefined).headers['content-encoding']).toBe('gzip');
  });

  it('is sent completely, even if the connection starts to read late', async () => {
    const upload = uploadOf(inputFile(file('a.csv', 'name\nx\n')), false, () => undefined);
    const body = upload.body();
    await new Promise((later) => setTimeout(later, 50)); // simulates a connection that is still being opened
    const pieces: Buffer[] = [];
    for await (const piece of body) pieces.push(piece as Buffer);
    expect(Buffer.concat(pieces).toString()).toBe('name\nx\n');
    expect(upload.headers['content-length']).toBe('7');
  });

  it('reports the number of bytes read', async () => {
    const path = file('a.csv', 'x'.repeat(200_000));
    let sent = 0;
    for await (const piece of uploadOf(inputFile(path), false, (bytes) => (sent = bytes)).body()) void piece;
    expect(sent).toBe(200_000);
  });
});

describe('the query of a batch', () => {
  it('contains type, format, minimum age, bases and the mapping of columns', () => {
    const itcont = { path: 'x', bytes: 1, isGzipped: false, format: 'itcont' as const, header: null };
    const bases = { ageBasis: 'donors', ethnicityBasis: 'place' };
    const query = queryOf(itcont, {
      type: 'contributions',
      sheet: '2',
      minAge: 18,
      ...bases,
      map: ['name=Donor = Name'],
    });
    expect(Object.fromEntries(new URLSearchParams(query))).toEqual({
      type: 'contributions',
      format: 'itcont',
      sheet: '2',
      min_age: '18',
      age_basis: 'donors',
      ethnicity_basis: 'place',
      'map.name': 'Donor = Name',
    });
  });
});
