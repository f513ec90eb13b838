import { posix } from 'node:path';
import { SheetReader, unescaped } from './sheet-reader';
import { type NumberFormat, numberFormat } from './sheet-values';
import {
  type Hold,
  WORKBOOK_LIMITS,
  WorkbookError,
  WorkbookParts,
  type XmlAttributes,
  XmlReader,
  type XmlVisitor,
} from './workbook-parts';

/** Read before the first piece is passed on: all of most sheets, so that a preview finds their faults too. */
const FIRST_PIECE = 1024 ** 2;
const PIECE = 64 * 1024;
const MAX_NAMED = 20;

interface Sheet {
  readonly name: string;
  readonly path: string;
  readonly isHidden: boolean;
}

/** An .xlsx file whose sheets are read as CSV. The file is held in memory, a sheet is streamed. */
export class Workbook {
  private constructor(
    private readonly parts: WorkbookParts,
    private readonly main: MainPart,
    private readonly relations: readonly Relation[],
    private readonly sheets: readonly Sheet[],
    private readonly hold: Hold,
  ) {}

  /**
   * @param pieces - bytes of the file, read to their end
   * @param hold - is called with bytes that are held in memory; may throw
   * @throws WorkbookError
   */
  static async open(pieces: AsyncIterable<Buffer>, hold: Hold): Promise<Workbook> {
    const parts = await WorkbookParts.open(pieces, hold);
    const path = await mainPath(parts);
    const relations = await relationsOf(parts, path);
    const main = new MainPart();
    await parts.read(path, main);
    const sheets = main.sheets.flatMap(({ name, id, isHidden }) => {
      const relation = relations.find((one) => one.id === id && one.type === 'worksheet');
      return relation ? [{ name, isHidden, path: relation.target }] : [];
    });
    if (sheets.length === 0) throw new WorkbookError('empty_input', 'the workbook has no worksheet');
    return new Workbook(parts, main, relations, sheets, hold);
  }

  get sheetNames(): readonly string[] {
    return this.sheets.map(({ name }) => name);
  }

  /**
   * @param chosen - name or number of a sheet; the first visible one if missing
   * @throws WorkbookError that lists the sheets
   */
  sheet(chosen?: string): Sheet {
    const { sheets } = this;
    if (chosen === undefined) return sheets.find(({ isHidden }) => !isHidden) ?? sheets[0];
    const wanted = chosen.toLowerCase();
    const sheet = sheets.find(({ name }) => name.toLowerCase() === wanted) ?? sheets[Number(chosen) - 1];
    if (sheet) return sheet;
    const more = sheets.length > MAX_NAMED ? ` and ${sheets.length - MAX_NAMED} more` : '';
    const names = this.sheetNames.slice(0, MAX_NAMED).join(', ');
    throw new WorkbookError('unknown_sheet', `no sheet has this name or number; the sheets are ${names}${more}`);
  }

  /** A sheet as CSV with LF line ends. @throws WorkbookError */
  async *csv({ name, path }: Sheet): AsyncGenerator<Buffer, void> {
    const strings = new SharedTexts(this.hold);
    const styles = new Styles();
    await this.readPart('sharedStrings', strings, WORKBOOK_LIMITS.stringPartBytes);
    await this.readPart('styles', styles);
    const sheet = new SheetReader({ name, strings, formats: styles.formats(), from1904: this.main.from1904 });
    const xml = new XmlReader(sheet);
    let piece = FIRST_PIECE;
    for await (const bytes of this.parts.bytes(path, WORKBOOK_LIMITS.sheetBytes)) {
      xml.write(bytes);
      if (sheet.length < piece) continue;
      yield sheet.take();
      piece = PIECE;
    }
    xml.close();
    yield sheet.finish();
  }

  /** A part that a workbook may lack. */
  private async readPart(type: string, visitor: XmlVisitor, maxBytes?: number): Promise<void> {
    const relation = this.relations.find((one) => one.type === type);
    if (relation && this.parts.has(relation.target)) await this.parts.read(relation.target, visitor, maxBytes);
  }
}

interface Relation {
  readonly id: string;
  /** Last word of its type, which is the same in both editions of the format. */
  readonly type: string;
  readonly target: string;
}

async function relationsOf(parts: WorkbookParts, part: string): Promise<Relation[]> {
  const folder = posix.dirname(part);
  const relations: Relation[] = [];
  await parts.read(posix.join(folder, '_rels', `${posix.basename(part)}.rels`), {
    open(name, { Id: id = '', Type: type = '', Target: target = '' }) {
      if (name !== 'Relationship') return;
      const path = target.startsWith('/') ? target.slice(1) : posix.join(folder, target);
      relations.push({ id, type: type.slice(type.lastIndexOf('/') + 1), target: path });
    },
  });
  return relations;
}

/** @throws WorkbookError for other files in a zip, and for workbooks with macros */
async function mainPath(parts: WorkbookParts): Promise<string> {
  if (parts.has('content.xml'))
    throw new WorkbookError('bad_workbook', 'the input is an OpenDocument file; save it as .xlsx or CSV');
  if (!parts.has('_rels/.rels') || !parts.names.some((name) => /(^|\/)workbook\d*\.(xml|bin)$/.test(name)))
    throw new WorkbookError('not_text', 'the input is a zip file without a workbook; send an .xlsx or CSV file');
  if (parts.names.some((name) => name.endsWith('vbaproject.bin')))
    throw new WorkbookError('bad_workbook', 'the workbook has macros; save it as .xlsx, which has none, or as CSV');
  const main = (await relationsOf(parts, '')).find(({ type }) => type === 'officeDocument');
  if (main?.target.endsWith('.bin'))
    throw new WorkbookError('bad_workbook', 'the input is a binary workbook (.xlsb); save it as .xlsx or CSV');
  return main?.target ?? 'xl/workbook.xml';
}

/** The list of sheets. */
class MainPart implements XmlVisitor {
  from1904 = false;
  readonly sheets: { name: string; id: string; isHidden: boolean }[] = [];

  open(name: string, attributes: XmlAttributes): void {
    if (name === 'workbookPr') this.from1904 = /^(1|true)$/.test(attributes.date1904 ?? '');
    if (name !== 'sheet') return;
    const [, id = ''] = Object.entries(attributes).find(([key]) => key.endsWith(':id')) ?? [];
    const isHidden = (attributes.state ?? 'visible') !== 'visible';
    this.sheets.push({ name: (attributes.name ?? '').replace(/\p{C}/gu, '').slice(0, 60), id, isHidden });
  }
}

/** Formats of numbers, by style. */
class Styles implements XmlVisitor {
  private readonly codes = new Map<number, string>();
  private readonly ids: number[] = [];
  private isCellStyle = false;

  open(name: string, { numFmtId: id = '0', formatCode: code }: XmlAttributes): void {
    if (name === 'cellXfs') this.isCellStyle = true;
    else if (name === 'xf' && this.isCellStyle) this.ids.push(Number(id));
    else if (name === 'numFmt' && code !== undefined && !this.codes.has(Number(id))) this.codes.set(Number(id), code);
  }

  close(name: string): void {
    if (name === 'cellXfs') this.isCellStyle = false;
  }

  formats(): NumberFormat[] {
    return this.ids.map((id) => numberFormat(id, this.codes.get(id)));
  }
}

/** The texts that cells refer to by number, in one buffer: as strings, a million of them would take twice the memory. */
class SharedTexts implements XmlVisitor {
  readonly unit = 'si';
  private bytes = Buffer.allocUnsafe(0);
  private readonly ends: number[] = [];
  private gathered = '';
  private isText = false;
  private isPhonetic = false;

  constructor(private readonly hold: Hold) {}

  find(index: number): string | undefined {
    const end = this.ends[index];
    return end === undefined ? undefined : this.bytes.toString('utf8', index === 0 ? 0 : this.ends[index - 1], end);
  }

  open(name: string): void {
    if (name === 'rPh') this.isPhonetic = true;
    else if (name === 't') this.isText = !this.isPhonetic;
  }

  text(text: string): void {
    if (this.isText) this.gathered += text;
  }

  close(name: string): void {
    if (name === 't') this.isText = false;
    else if (name === 'rPh') this.isPhonetic = false;
    else if (name === 'si') this.add();
  }

  private add(): void {
    const text = unescaped(this.gathered);
    this.gathered = '';
    const start = this.ends[this.ends.length - 1] ?? 0;
    const needed = start + Buffer.byteLength(text);
    if (needed > this.bytes.length) this.grow(needed);
    this.ends.push(start + this.bytes.write(text, start));
  }

  private grow(needed: number): void {
    const { stringBytes } = WORKBOOK_LIMITS;
    if (needed > stringBytes)
      throw new WorkbookError('too_large', 'the workbook has more than 96 MB of texts; send it in parts, or as CSV');
    const length = Math.min(Math.max(2 * needed, 64 * 1024), stringBytes);
    this.hold(length - this.bytes.length);
    const larger = Buffer.allocUnsafeSlow(length);
    this.bytes.copy(larger);
    this.bytes = larger;
  }
}
