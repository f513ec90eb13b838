import { utils, write } from '@e965/xlsx';
import fc from 'fast-check';
import { workbookOf, zipOf } from '../../../../test/support/reference-data/table-files';
import { csvText } from '../csv-text';
import { escaped } from './sheet-file';
import { unescaped } from './sheet-reader';
import { numberFormat, numberText } from './sheet-values';
import { tableFile } from './table-file';
import { Workbook } from './workbook';

async function* inPieces(bytes: Buffer, size: number): AsyncGenerator<Buffer, void> {
  for (let at = 0; at < bytes.length; at += size) yield await Promise.resolve(bytes.subarray(at, at + size));
}

let held = 0;
async function csvOf(file: Buffer, sheet?: string, size = 65_536): Promise<string> {
  held = 0;
  const workbook = await Workbook.open(inPieces(file, size), (bytes) => (held += bytes));
  const pieces: Buffer[] = [];
  for await (const piece of workbook.csv(workbook.sheet(sheet))) pieces.push(piece);
  return Buffer.concat(pieces).toString();
}

const text = (...names: string[]): string =>
  names.map((name) => `<c t="inlineStr"><is><t>${name}</t></is></c>`).join('');
const HEADER = `<row>${text('name', 'date')}</row>`;
const STYLES = `<styleSheet><numFmts><numFmt numFmtId="164" formatCode="m\\/d\\/yyyy"/><numFmt numFmtId="165" formatCode="00000"/></numFmts>
  <cellStyleXfs><xf numFmtId="14"/></cellStyleXfs><cellXfs><xf numFmtId="0"/><xf numFmtId="164"/><xf numFmtId="165"/></cellXfs></styleSheet>`;

describe('a sheet as CSV', () => {
  it('has texts, numbers, dates and flags as the sheet shows them', async () => {
    const strings = `<sst><si><t>name</t></si><si><r><t>GARCIA, </t></r><r><t>MARY</t></r><rPh sb="0"><t>x</t></rPh></si><si><t>06100</t></si></sst>`;
    const rows = `<row r="2"><c r="A2" t="s"><v>0</v></c>${text('date', 'zip', 'zip+4', 'amount', 'flag', 'own')}</row>
      <row r="4"><c r="A4" t="s"><v>1</v></c><c r="B4" s="1"><v>42674</v></c><c r="C4" t="s"><v>2</v></c><c r="D4" s="2"><v>6100</v></c>
      <c r="E4"><f>A1</f><v>5.0999999999999996</v></c><c r="F4" t="b"><v>1</v></c><c r="G4" t="str"><f>B1</f><v>a_x000a_b &lt;</v></c></row>
      <row r="5"><c r="A5"/><c r="B5" s="1"/></row><row r="6"><c r="C6" t="d"><v>2016-10-31T00:00:00</v></c></row>`;
    const file = await workbookOf({ Donors: rows }, { 'xl/styles.xml': STYLES, 'xl/sharedStrings.xml': strings });
    const csv =
      'name,date,zip,zip+4,amount,flag,own\n"GARCIA, MARY",2016-10-31,06100,06100,5.1,TRUE,"a\nb <"\n,,2016-10-31,,,,\n';
    for (const size of [1, 7, 65_536]) expect(await csvOf(file, undefined, size)).toBe(csv);
    expect(held).toBe(2 * 256 * 1024 - 192 * 1024); // a block of the file, and texts
  });

  it('is the first visible one, or chosen by name or number', async () => {
    const sheet = (value: number): string => `${HEADER}<row><c><v>${value}</v></c></row>`;
    const list = ['notes', '2016', 'More'].map((name, at) => {
      const state = at === 0 ? ' state="hidden"' : '';
      return `<x:sheet name="${name}" sheetId="${at + 7}"${state} rel:id="s${at}"/>`;
    });
    const file = await workbookOf(
      { a: sheet(1), b: sheet(2), c: sheet(3) },
      { 'xl/workbook.xml': `<x:workbook xmlns:x="a" xmlns:rel="b"><x:sheets>${list.join('')}</x:sheets></x:workbook>` },
    );
    const names = [undefined, 'NOTES', '2016', 'more', '1', '3'];
    const values = await Promise.all(names.map(async (name) => /\n(\d)/.exec(await csvOf(file, name))?.[1]));
    expect(values).toEqual(['2', '1', '2', '3', '1', '3']);
    await expect(csvOf(file, '4')).rejects.toMatchObject({
      code: 'unknown_sheet',
      message: 'no sheet has this name or number; the sheets are notes, 2016, More',
    });
  });

  const cell = fc.oneof(fc.string(), fc.string({ unit: 'grapheme' }), fc.constantFrom('007', '=1+1', 'a,"b"\nc'));
  const rowsOf = (one: fc.Arbitrary<string>) =>
    fc.array(
      fc.tuple(
        one,
        one,
        one.map((last) => `x${last}`),
      ),
      { minLength: 1, maxLength: 20 },
    );
  const HEAD = ['a', 'b', 'c'];
  /** Other programs do not escape what looks escaped, and refuse control characters. */
  const plain = cell.map((one) => one.replace(/_x|[\p{C}\ufffe\uffff]/gu, ''));

  it('has the texts that another program writes into one', async () => {
    await fc.assert(
      fc.asyncProperty(rowsOf(plain), async (rows) => {
        const book = utils.book_new();
        utils.book_append_sheet(book, utils.aoa_to_sheet([HEAD, ...rows]), 'Sheet1');
        const file = write(book, { type: 'buffer', bookType: 'xlsx', bookSST: true, compression: true }) as Buffer;
        expect(await csvOf(Buffer.from(file))).toBe(csvText([HEAD, ...rows], true));
      }),
      { numRuns: 40 },
    );
  });

  it('has the texts that donorlens writes into one', async () => {
    await fc.assert(
      fc.asyncProperty(rowsOf(fc.oneof(cell, fc.constantFrom('_x0041_', 'a\rb\t'))), async (rows) => {
        const csv = csvText([HEAD, ...rows], true);
        const pieces: Buffer[] = [];
        for await (const piece of tableFile('xlsx', inPieces(Buffer.from(csv), 1000), () => 'text')) pieces.push(piece);
        expect(await csvOf(Buffer.concat(pieces))).toBe(csv);
      }),
      { numRuns: 40 },
    );
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (one) => expect(unescaped(escaped(one))).toBe(one)));
  });
});

describe('a number of a sheet', () => {
  it.each([
    ['a day', '42674', 14, undefined, '2016-10-31'],
    ['a day in a format of its own', '42674', 165, '[$-409]d\\-mmm\\-yy;@', '2016-10-31'],
    ['a day that hides its time', '42674.9', 165, 'yyyy-mm-dd', '2016-10-31'],
    ['a time of a day', '42674.395833333336', 22, undefined, '2016-10-31 09:30:00'],
    ['midnight', '42674.9999999', 165, 'dd/mm/yyyy hh:mm', '2016-11-01'],
    ['the first day on which all programs agree', '61', 14, undefined, '1900-03-01'],
    ['the last day', '2958465', 14, undefined, '9999-12-31'],
    ['no day', '60', 14, undefined, '60'],
    ['no day any more', '2958466', 14, undefined, '2958466'],
    ['hours', '0.5', 20, undefined, '0.5'],
    ['an amount in dollars', '250', 165, '"USD "#,##0.00;[Red]-#,##0.00', '250'],
    ['a ZIP code', '6103', 165, '00000', '06103'],
    ['a ZIP code with four more digits', '61031234', 165, '00000\\-0000', '06103-1234'],
    ['longer than its mask', '1234567', 165, '00000', '1234567'],
    ['below zero', '-5', 165, '00000', '-5'],
    ['a fraction as programs store it', '0.30000000000000004', 0, undefined, '0.30000000000000004'],
    ['an exponent', '1.5E+3', 0, 'General', '1500'],
    ['a long id', '12345678901234567890', 0, undefined, '12345678901234567890'],
  ])('%s', (_what, value, id, code, expected) => {
    expect(numberText(value, numberFormat(id, code), false)).toBe(expected);
  });

  it('counts days from 1904 if the workbook does', () => {
    expect(numberText('41212', numberFormat(14, undefined), true)).toBe('2016-10-31');
  });
});

describe('a workbook that cannot be read', () => {
  const sheet = (rows: string, after = ''): Promise<Buffer> =>
    workbookOf(
      { 'My Donors': '' },
      { 'xl/worksheets/sheet0.xml': `<worksheet><sheetData>${rows}</sheetData>${after}</worksheet>` },
    );
  const VALID = `${HEADER}<row><c t="str"><v>Mary</v></c></row>`;
  const zeros = ' '.repeat(20 * 1024 ** 2);

  it.each<[string, () => Promise<Buffer>, object]>([
    [
      'has macros',
      () => workbookOf({ A: VALID }, { 'xl/vbaProject.bin': 'x' }),
      { code: 'bad_workbook', message: expect.stringContaining('macros') },
    ],
    [
      'is binary',
      () =>
        zipOf({
          '_rels/.rels': '<a><Relationship Type="x/officeDocument" Target="xl/workbook.bin"/></a>',
          'xl/workbook.bin': '',
        }),
      { message: expect.stringContaining('.xlsb') },
    ],
    [
      'is an OpenDocument',
      () => zipOf({ 'content.xml': '<a/>' }),
      { message: expect.stringContaining('OpenDocument') },
    ],
    ['is another zip', () => zipOf({ 'donors.csv': 'name,date\n' }), { code: 'not_text' }],
    ['is cut off', async () => (await sheet(VALID)).subarray(0, 300), { code: 'bad_workbook' }],
    [
      'is damaged',
      async () => Buffer.from((await sheet(VALID)).map((byte, at) => (at === 400 ? byte ^ 1 : byte))),
      { code: 'bad_workbook' },
    ],
    ['has XML that breaks off', () => sheet('<row><c><v>1</v>'), { code: 'bad_workbook' }],
    [
      'has entities of its own',
      () => workbookOf({ A: VALID }, { 'xl/styles.xml': '<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>' }),
      { code: 'bad_workbook' },
    ],
    ['has no text', () => sheet('<row><c/></row>'), { code: 'empty_input', message: 'the sheet My Donors is empty' }],
    [
      'has an error',
      () => sheet(`${HEADER}<row r="7"><c r="C7" t="e"><f>A1</f><v>#REF!</v></c></row>`),
      {
        code: 'bad_cell',
        values: { cell: "'My Donors'!C7" },
        message: "cell 'My Donors'!C7 holds the error #REF!; correct or clear it",
      },
    ],
    [
      'has a formula without its result',
      () => sheet(`${HEADER}<row><c><f>A1</f></c></row>`),
      { code: 'bad_cell', values: { cell: "'My Donors'!A2" } },
    ],
    [
      'has a text that is not there',
      () => sheet(`${HEADER}<row><c r="AB2" t="s"><v>5</v></c></row>`),
      { code: 'bad_cell', values: { cell: "'My Donors'!AB2" } },
    ],
    [
      'has merged header cells',
      () => sheet(VALID, '<mergeCells><mergeCell ref="A9:B9"/><mergeCell ref="B1:D1"/></mergeCells>'),
      { code: 'bad_header', values: { cell: "'My Donors'!B1:D1" } },
    ],
    [
      'has no header',
      () => sheet(`<row>${text('Mary')}<c><v>42674</v></c></row>`),
      { code: 'bad_header', values: { cell: "'My Donors'!B1" } },
    ],
    [
      'has a title in place of a header',
      () => sheet(`<row>${text('Donors')}</row>${HEADER}`),
      { code: 'bad_header', values: { cell: "'My Donors'!A1" } },
    ],
    [
      'has too many columns',
      () => sheet(`${HEADER}<row><c r="ALM2" t="b"><v>1</v></c></row>`),
      { code: 'too_many_columns', values: { cell: "'My Donors'!ALM2" } },
    ],
    [
      'has a text without an end',
      () => sheet(`${HEADER}<row><c t="str"><v>${'x'.repeat(2 * 1024 ** 2)}</v></c></row>`),
      { code: 'record_too_long' },
    ],
    ['has nested elements without an end', () => sheet('<a>'.repeat(100)), { code: 'bad_workbook' }],
    ['inflates to 200 times its size', () => sheet(zeros), { code: 'zip_bomb' }],
    [
      'has a list of styles that inflates too much',
      () => workbookOf({ A: VALID }, { 'xl/styles.xml': Buffer.alloc(17 * 1024 ** 2, 0x20) }),
      { code: 'zip_bomb' },
    ],
  ])('%s', async (_what, file, expected) => {
    await expect(csvOf(await file())).rejects.toMatchObject(expected);
  });

  it('stays within its memory limit', async () => {
    const file = await sheet(VALID);
    const full = new Error('full');
    const reading = Workbook.open(inPieces(file, 100), () => {
      throw full;
    });
    await expect(reading).rejects.toBe(full);
  });
});
