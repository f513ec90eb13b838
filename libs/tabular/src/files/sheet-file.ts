import { Readable } from 'node:stream';
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { parseCivilDay } from '@donorlens/primitives';
import { ZipFile } from 'yazl';
import { type CsvRecordReader } from '../csv-record-reader';
import { type CellKind, type FileColumn } from './file-column';
import { FIRST_DATE, UNIX_EPOCH } from './sheet-values';

/** Rows of a sheet below its header line. */
export const MAX_SHEET_ROWS = 1_048_575;
/** Excel does not open a file with a longer text. */
const MAX_TEXT = 32_767;
const ROWS_PER_YIELD = 500;
/** The same table is the same bytes. */
const OPTIONS = { mtime: new Date(2000, 0, 1), compressionLevel: 1 };

const XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006';
const SHEETML = 'application/vnd.openxmlformats-officedocument.spreadsheetml';

const relation = (id: string, type: string, target: string): string =>
  `<Relationship Id="${id}" Type="${OFFICE}/${type}" Target="${target}"/>`;
const part = (name: string, type: string): string =>
  `<Override PartName="/xl/${name}" ContentType="${SHEETML}.${type}+xml"/>`;

/** The parts of a workbook beside its sheet. Style 1 is a date. */
const PARTS: Readonly<Record<string, string>> = {
  '[Content_Types].xml': `<Types xmlns="${PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>${part('workbook.xml', 'sheet.main')}${part('styles.xml', 'styles')}${part('worksheets/sheet1.xml', 'worksheet')}</Types>`,
  '_rels/.rels': `<Relationships xmlns="${PACKAGE}/relationships">${relation('rId1', 'officeDocument', 'xl/workbook.xml')}</Relationships>`,
  'xl/workbook.xml': `<workbook xmlns="${MAIN}" xmlns:r="${OFFICE}"><sheets><sheet name="results" sheetId="1" r:id="rId1"/></sheets></workbook>`,
  'xl/_rels/workbook.xml.rels': `<Relationships xmlns="${PACKAGE}/relationships">${relation('rId1', 'worksheet', 'worksheets/sheet1.xml')}${relation('rId2', 'styles', 'styles.xml')}</Relationships>`,
  'xl/styles.xml': `<styleSheet xmlns="${MAIN}"><numFmts count="1"><numFmt numFmtId="164" formatCode="yyyy\\-mm\\-dd"/></numFmts><fonts count="1"><font/></fonts><fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills><borders count="1"><border/></borders><cellStyleXfs count="1"><xf/></cellStyleXfs><cellXfs count="2"><xf/><xf numFmtId="164" applyNumberFormat="1"/></cellXfs><cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>`,
};

/** A table as a workbook of one sheet, its cells without shared strings, so that nothing of it stays in memory. */
export async function* sheetPieces(
  columns: readonly FileColumn[],
  records: AsyncGenerator<CsvRecordReader, void>,
): AsyncGenerator<Buffer, void> {
  const zip = new ZipFile();
  const output = zip.outputStream as Readable;
  const sheet = Readable.from(sheetXml(columns, records), { objectMode: false });
  sheet.once('error', (error) => output.destroy(error));
  for (const [name, text] of Object.entries(PARTS)) zip.addBuffer(Buffer.from(XML + text), name, OPTIONS);
  zip.addReadStream(sheet, 'xl/worksheets/sheet1.xml', OPTIONS);
  zip.end();
  try {
    yield* output as AsyncIterable<Buffer>;
  } finally {
    sheet.destroy();
  }
}

async function* sheetXml(
  columns: readonly FileColumn[],
  records: AsyncGenerator<CsvRecordReader, void>,
): AsyncGenerator<string, void> {
  const kinds = columns.map(({ kind }) => kind);
  let text = `${XML}<worksheet xmlns="${MAIN}"><sheetViews><sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2" state="frozen"/></sheetView></sheetViews><sheetData><row>${columns.map(({ name }) => textCell(name)).join('')}</row>`;
  let rows = 0;
  for await (const piece of records)
    while (piece.read()) {
      if (++rows > MAX_SHEET_ROWS) throw new RangeError('more rows than a sheet has');
      text += '<row>';
      for (let at = 0; at < kinds.length; at++) text += cellOf(piece.exactText(at), kinds[at]);
      text += '</row>';
      if (rows % ROWS_PER_YIELD > 0) continue;
      yield text;
      text = '';
      await yieldToEventLoop();
    }
  yield `${text}</sheetData></worksheet>`;
}

function cellOf(text: string, kind: CellKind): string {
  if (text === '') return '<c/>';
  if (kind === 'flag') return `<c t="b"><v>${text === 'true' ? 1 : 0}</v></c>`;
  if (kind === 'date') {
    const serial = parseCivilDay(text) + UNIX_EPOCH;
    return serial >= FIRST_DATE ? `<c s="1"><v>${serial}</v></c>` : textCell(text);
  }
  if (kind === 'text' || !Number.isFinite(Number(text))) return textCell(text);
  return `<c><v>${Number(text)}</v></c>`;
}

const textCell = (text: string): string =>
  `<c t="inlineStr"><is><t xml:space="preserve">${escaped(text.length > MAX_TEXT ? text.slice(0, MAX_TEXT) : text)}</t></is></c>`;

const SPECIAL = /[&<>\u0000-\u001f\ufffe\uffff]|_x[\da-fA-F]{4}_/;
const SPECIALS = /[&<>\u0000-\u001f\ufffe\uffff]|_(?=x[\da-fA-F]{4}_)/g;
const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '\t': '\t', '\n': '\n' };

/** XML has no control characters: a workbook writes them, and text that looks like one so written, as _xHHHH_. */
export const escaped = (text: string): string =>
  SPECIAL.test(text)
    ? text.replace(
        SPECIALS,
        (letter) => ENTITIES[letter] ?? `_x${letter.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}_`,
      )
    : text;
