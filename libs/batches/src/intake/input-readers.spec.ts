import { ITCONT_COLUMNS } from '@donorlens/tabular';
import { ChunkBuilder } from './chunk-builder';
import { IntakeError } from './intake-error';
import { readHeader } from './header';
import { type InputReader } from './input-readers';
import { ItemKeys } from './item-keys';
import { readerOf } from './input-readers';

const request = { apiKeyId: '', releaseId: '', type: 'contributions', format: 'csv' } as const;
const line = ITCONT_COLUMNS.map((column) => (column === 'CMTE_ID' ? 'C00000001' : column)).join('|');

/** @param size bytes that come at a time */
function read(text: string | Buffer, size = Infinity): InputReader {
  const bytes = Buffer.from(text as string);
  const reader = readerOf(request, new ChunkBuilder(Infinity), new ItemKeys());
  for (let at = 0; at < bytes.length; at += size) reader.push(bytes.subarray(at, at + size));
  reader.finish();
  return reader;
}

describe('a file without a stated format', () => {
  it.each([1, 7, Infinity])(
    'is detected as an FEC file without header by its first line, %d bytes at a time',
    (size) => {
      expect(read(`${line}\r\n${line}\n`, size)).toMatchObject({ isItcont: true, columns: ITCONT_COLUMNS });
      expect(read(line, size)).toMatchObject({ isItcont: true });
    },
  );

  it.each([
    ['has a field more', `${line}|`],
    ['begins with another id', line.replace('C00000001', 'P00000001')],
    ['is named by its header', ITCONT_COLUMNS.join('|')],
  ])('has a header if its first line %s', (_what, first) => {
    expect(read(`${first}\n${'|'.repeat(20)}\n`)).toMatchObject({ isItcont: false, delimiter: '|' });
  });

  it('has odd quotes if they do not open a field', () => {
    expect(read('name,date\na "b" c,2016-10-31\n"a",2016-10-31\n"a"b,2016-10-31\n').oddQuotes).toBe(2);
    expect(read('name,date\n"a ""b""",2016-10-31\n').oddQuotes).toBe(0);
  });

  it.each([
    ['25/12/2016', '3/12/2016', '25/12/2016'],
    ['12/25/2016', '3/12/2016', null],
    ['25/13/2016', '32/12/2016', null],
  ])('with the dates %s and %s has day-first date %s', (first, second, dayFirst) => {
    expect(read(`name,date,note\na,${second},31/1/2016\nb, ${first} ,x\n`).dayFirstDate).toBe(dayFirst);
  });

  it.each([
    ['an old workbook', Buffer.from('d0cf11e0a1b11ae1', 'hex')],
    ['a zip file', Buffer.from('504b030414000600', 'hex')],
    ['a PNG picture', Buffer.from('89504e470d0a1a0a', 'hex')],
    ['a PDF document', Buffer.from('%PDF-1.7\n')],
  ])('is rejected if it is %s', (_what, bytes) => {
    expect(() => read(bytes)).toThrow(IntakeError);
    expect(() => read(bytes)).toThrow(/CSV|csv/);
  });
});

describe('a header line', () => {
  const line = (bytes: number): Buffer => Buffer.from(`first_name,${'x'.repeat(bytes)}\nMary,1\n`);

  it('longer than 256 kB is refused, whether it comes in pieces or at once', () => {
    const long = line(300_000);
    for (const bytes of [long, long.subarray(0, 290_000)])
      expect(() => readHeader(bytes, false)).toThrow(expect.objectContaining({ code: 'record_too_long' }));
    expect(readHeader(line(200_000), false)?.columns).toHaveLength(2);
  });
});
