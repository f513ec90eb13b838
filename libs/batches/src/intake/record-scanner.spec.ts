import { parse } from 'csv-parse/sync';
import { stringify } from 'csv-stringify/sync';
import fc from 'fast-check';
import { ITCONT_COLUMNS } from '@donorlens/tabular';
import { inflated } from '../chunk.store';
import { ChunkBuilder } from './chunk-builder';
import { IntakeError } from './intake-error';
import { type Dialect, RecordScanner } from './record-scanner';

const COMMA: Dialect = { delimiter: 44, quoting: true, crLines: false };

/** Records as the chunks hold them, the input cut into pieces of a size. */
async function scanned(input: string | Buffer, dialect: Dialect = COMMA, pieceBytes = 7): Promise<string> {
  const builder = new ChunkBuilder(1000);
  const scanner = new RecordScanner(dialect, builder, 1);
  const bytes = Buffer.from(input as string);
  for (let at = 0; at < bytes.length; at += pieceBytes) scanner.push(bytes.subarray(at, at + pieceBytes));
  scanner.finish();
  builder.finish();
  let text = '';
  for (let chunk = await builder.take(); chunk; chunk = await builder.take())
    text += (await inflated(chunk.input)).toString();
  return text;
}

const codeOf = async (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'accepted',
    (err: unknown) => (err instanceof IntakeError ? { code: err.code, line: err.values.line } : err),
  );

describe('records of delimited text', () => {
  it('does not change comma records', async () => {
    expect(await scanned('1,SMITH,"a, b"\n2,"say ""hi""",\n')).toBe('1,SMITH,"a, b"\n2,"say ""hi""",\n');
  });

  it('keeps line breaks in quotes', async () => {
    expect(await scanned('a,"one\ntwo\r\nthree",b\nc,d,e')).toBe('a,"one\ntwo\r\nthree",b\nc,d,e\n');
  });

  it('reads CRLF, a missing last line end, and leaves out empty lines', async () => {
    expect(await scanned('a,b\r\n\r\nc,d\r\n\n\ne,f\r\n\r\n')).toBe('a,b\nc,d\ne,f\n');
  });

  it('reads lines that end with CR if the header does', async () => {
    expect(await scanned('a,b\rc,"d\re"\r\r', { ...COMMA, crLines: true })).toBe('a,b\nc,"d\re"\n');
  });

  it('quotes a CR that ends no line', async () => {
    expect(await scanned('a\rb,c\r\n')).toBe('"a\rb",c\n');
    expect(await scanned('"x"\r,c\r\n')).toBe('"x\r",c\n');
  });

  it.each([';', '\t', '|'])('turns records between %j into comma records', async (delimiter) => {
    const dialect = { ...COMMA, delimiter: delimiter.charCodeAt(0) };
    const input = ['1', 'SMITH, J', 'a "b" c', '"q, q"', ''].join(delimiter);
    expect(await scanned(`${input}\n`, dialect)).toBe('1,"SMITH, J","a ""b"" c","q, q",\n');
  });

  it('treats a quote as an ordinary character in FEC files', async () => {
    const dialect = { delimiter: 124, quoting: false, crLines: false };
    expect(await scanned('"JOE" SMITH|5"|\n"never|closed|\n', dialect)).toBe(
      '"""JOE"" SMITH","5""",\n"""never",closed,\n',
    );
    expect(ITCONT_COLUMNS).toHaveLength(21);
  });

  it('reads quotes in odd places as spreadsheets do', async () => {
    expect(await scanned('ab"c,d\n')).toBe('"ab""c",d\n');
    expect(await scanned('"ab"c,d\n')).toBe('abc,d\n');
    expect(await scanned('"a"b"c,d\n')).toBe('"ab""c",d\n');
  });

  it('names the line of a quote that is never closed', async () => {
    expect(await codeOf(scanned('a,b\nc,"d\ne,f\n'))).toEqual({ code: 'unclosed_quote', line: 2 });
    expect(await codeOf(scanned('a,b\nc,"d\ne,"f"\ng,h\n'))).toEqual({ code: 'unclosed_quote', line: 2 });
  });

  it('rejects a record without an end after 8 MB', async () => {
    const piece = 64 * 1024;
    expect(await codeOf(scanned(Buffer.alloc(9 * 1024 ** 2, 'x'), COMMA, piece))).toEqual({
      code: 'record_too_long',
      line: 1,
    });
    const open = Buffer.concat([Buffer.from('a,b\n"'), Buffer.alloc(9 * 1024 ** 2, 'x')]);
    expect(await codeOf(scanned(open, COMMA, piece))).toEqual({ code: 'unclosed_quote', line: 2 });
  });

  it('keeps a field of a million letters', async () => {
    const long = 'x'.repeat(1_000_000);
    expect(await scanned(`a,${long}\nb,c\n`, COMMA, 65_536)).toBe(`a,${long}\nb,c\n`);
  });

  it('reads a record that is not UTF-8 as windows-1252, and only that one', async () => {
    const mixed = Buffer.concat([
      Buffer.from('Jos\u00e9,1\n', 'utf8'),
      Buffer.from('Jos\xe9,\x93q\x94\n', 'latin1'),
      Buffer.from('\u674e,3\n', 'utf8'),
    ]);
    expect(await scanned(mixed)).toBe('Jos\u00e9,1\nJos\u00e9,\u201cq\u201d\n\u674e,3\n');
  });

  it('keeps NUL bytes, which the reader rejects', async () => {
    expect(await scanned('a\0b,c\n')).toBe('a\0b,c\n');
  });

  const field = fc.oneof(
    fc.string({ unit: fc.constantFrom('a', ',', '"', '\n', '\r', ' ', '|', ';', '\t', '\u00e9', '\\') }),
    fc.string(),
  );
  const table = fc
    .array(fc.tuple(field, field, field), { minLength: 1, maxLength: 20 })
    .filter((rows) => rows.every((row) => row.every((value) => !value.includes('\0'))));

  it.each([',', ';', '|', '\t'])(
    'reads the output of csv-stringify with the delimiter %j, for any pieces',
    async (delimiter) => {
      await fc.assert(
        fc.asyncProperty(
          table,
          fc.integer({ min: 1, max: 40 }),
          fc.constantFrom('\n', '\r\n'),
          async (rows, size, eol) => {
            const quoted = { delimiter, record_delimiter: eol, quoted_match: /[\r\n]/ };
            const input = stringify(rows, quoted);
            const text = await scanned(input, { ...COMMA, delimiter: delimiter.charCodeAt(0) }, size);
            expect(parse(text, { record_delimiter: '\n' })).toEqual(rows);
          },
        ),
        { numRuns: 300 },
      );
    },
  );

  it('has the same result for any pieces of any bytes', async () => {
    const letters = fc.string({ unit: fc.constantFrom('a', ',', '"', '\n', '\r', 'b', '\u00e9'), maxLength: 60 });
    const outcome = (input: string, pieceBytes: number): Promise<unknown> =>
      scanned(input, COMMA, pieceBytes).catch((err: IntakeError) => err.message);
    await fc.assert(
      fc.asyncProperty(letters, fc.integer({ min: 1, max: 9 }), async (input, size) => {
        expect(await outcome(input, size)).toEqual(await outcome(input, 1000));
      }),
      { numRuns: 500 },
    );
  });
});
