import { csvField } from '../csv-text';
import { type NumberFormat, numberText } from './sheet-values';
import { WorkbookError, type XmlAttributes, type XmlVisitor } from './workbook-parts';

const MAX_COLUMNS = 1000;
const NO_FORMAT: NumberFormat = {};
const ESCAPED = /_x([\da-fA-F]{4})_/g;

/** Text of a cell, in which control characters are written as _xHHHH_. */
export const unescaped = (text: string): string =>
  text.includes('_x')
    ? text.replace(ESCAPED, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
    : text;

/** What the cells of a sheet refer to. */
export interface SheetContext {
  /** As `Donors`, for messages. */
  readonly name: string;
  readonly strings: { find(index: number): string | undefined };
  /** By style. */
  readonly formats: readonly NumberFormat[];
  readonly from1904: boolean;
}

/** A cell that is being read. */
interface Cell {
  readonly type: string;
  readonly style: string | undefined;
  hasFormula: boolean;
  hasValue: boolean;
}

/**
 * Turns the XML of a sheet into CSV: the first row with a text names the columns, empty rows are left out, and each
 * record has at least as many fields as the header.
 */
export class SheetReader implements XmlVisitor {
  readonly unit = 'row';
  private csv = '';
  private row = 0;
  private column = -1;
  private cell: Cell | null = null;
  private isText = false;
  private isPhonetic = false;
  private value = '';
  private fields: string[] = [];
  /** Row and width of the header. */
  private header: { readonly row: number; readonly width: number } | null = null;
  private isFirstRecord = true;
  /** Cell of the header row that names no column. */
  private unnamed: string | null = null;

  constructor(private readonly context: SheetContext) {}

  get length(): number {
    return this.csv.length;
  }

  take(): Buffer {
    const bytes = Buffer.from(this.csv);
    this.csv = '';
    return bytes;
  }

  open(name: string, attributes: XmlAttributes): void {
    if (name === 'c') this.openCell(attributes);
    else if (name === 'row') this.openRow(attributes);
    else if (name === 'mergeCell') this.checkMerged(attributes.ref ?? '');
    else if (this.cell) this.openContent(this.cell, name);
  }

  text(text: string): void {
    if (this.isText) this.value += text;
  }

  close(name: string): void {
    if (name === 'v' || name === 't') this.isText = false;
    else if (name === 'rPh') this.isPhonetic = false;
    else if (name === 'c' && this.cell) this.closeCell(this.cell);
    else if (name === 'row') this.closeRow();
  }

  /** @throws WorkbookError if the sheet has no text */
  finish(): Buffer {
    if (this.header === null) throw new WorkbookError('empty_input', `the sheet ${this.context.name} is empty`);
    return this.take();
  }

  private openRow({ r }: XmlAttributes): void {
    this.row = r === undefined ? this.row + 1 : Number(r);
    this.column = -1;
  }

  private openCell({ r, t = 'n', s }: XmlAttributes): void {
    this.column = r === undefined ? this.column + 1 : columnOf(r);
    this.cell = { type: t, style: s, hasFormula: false, hasValue: false };
    this.value = '';
  }

  private openContent(cell: Cell, name: string): void {
    if (name === 'f') cell.hasFormula = true;
    else if (name === 'rPh') this.isPhonetic = true;
    else if (name === 'v' || name === 't') {
      cell.hasValue = true;
      this.isText = !this.isPhonetic;
    }
  }

  private closeCell(cell: Cell): void {
    this.cell = null;
    if (cell.type === 'e') throw this.badCell(`holds the error ${this.value.slice(0, 20)}; correct or clear it`);
    if (cell.hasFormula && !cell.hasValue)
      throw this.badCell('holds a formula without its result; save the workbook in a spreadsheet program');
    const text = this.textOf(cell);
    if (text === '') return;
    if (this.column >= MAX_COLUMNS)
      throw new WorkbookError(
        'too_many_columns',
        `cell ${this.here} is beyond the 1000 columns that are read`,
        this.here,
      );
    this.fields[this.column] = text;
    if (this.header === null && !isName(cell, text)) this.unnamed ??= this.here;
  }

  private textOf({ type, style }: Cell): string {
    const { value, context } = this;
    if (value === '') return '';
    if (type === 's') {
      const text = context.strings.find(Number(value));
      if (text === undefined) throw this.badCell('refers to a text that the workbook lacks');
      return text;
    }
    if (type === 'inlineStr' || type === 'str') return unescaped(value);
    if (type === 'b') return value === '0' || value === 'false' ? 'FALSE' : 'TRUE';
    if (type === 'd') return value.replace(/T00:00:00(\.0*)?Z?$/, '');
    return numberText(value, context.formats[Number(style ?? 0)] ?? NO_FORMAT, context.from1904);
  }

  private closeRow(): void {
    const { fields } = this;
    if (fields.length === 0) return;
    this.fields = [];
    if (this.header === null) this.checkHeader(fields.length);
    else if (this.isFirstRecord) this.checkFirstRecord(fields.length, this.header);
    const width = Math.max(fields.length, this.header?.width ?? 0);
    for (let at = 0; at < width; at++) this.csv += (at > 0 ? ',' : '') + csvField(fields[at] ?? '');
    this.csv += '\n';
  }

  private checkHeader(width: number): void {
    if (this.unnamed !== null)
      throw badHeader(`cell ${this.unnamed} is no column name; the first row must name the columns`, this.unnamed);
    this.header = { row: this.row, width };
  }

  /** A title above the table is no header. */
  private checkFirstRecord(width: number, header: { readonly row: number; readonly width: number }): void {
    this.isFirstRecord = false;
    const cell = this.nameOf(`A${header.row}`);
    if (header.width === 1 && width > 1)
      throw badHeader(
        `cell ${cell} is alone in the first row, above more columns; the first row must name them all`,
        cell,
      );
  }

  /** Merged cells are listed below the rows. */
  private checkMerged(ref: string): void {
    const [first, last = first] = ref.split(':').map((cell) => Number(cell.replace(/^[A-Z]+/, '')));
    if (this.header === null || this.header.row < first || this.header.row > last) return;
    const cell = this.nameOf(ref);
    throw badHeader(`cell ${cell} is merged in the header row; give each column a name in its own cell`, cell);
  }

  private get here(): string {
    return this.nameOf(`${lettersOf(this.column)}${this.row}`);
  }

  private nameOf(ref: string): string {
    const { name } = this.context;
    return `${/^\w+$/.test(name) ? name : `'${name}'`}!${ref}`;
  }

  private badCell(what: string): WorkbookError {
    return new WorkbookError('bad_cell', `cell ${this.here} ${what}`, this.here);
  }
}

const badHeader = (message: string, cell: string): WorkbookError => new WorkbookError('bad_header', message, cell);

/** A text, or a year. */
const isName = ({ type }: Cell, text: string): boolean =>
  type === 's' || type === 'inlineStr' || type === 'str' || /^(19|20)\d\d$/.test(text);

const A = 65;

/** Zero-based column of a cell reference: 27 of AB12. @throws WorkbookError */
function columnOf(ref: string): number {
  const letters = /^[A-Z]{1,3}(?=\d)/.exec(ref)?.[0];
  if (letters === undefined) throw new WorkbookError('bad_workbook', 'the workbook has a cell without a reference');
  let column = 0;
  for (const letter of letters) column = column * 26 + letter.charCodeAt(0) - A + 1;
  return column - 1;
}

const lettersOf = (column: number): string =>
  (column < 26 ? '' : lettersOf(Math.floor(column / 26) - 1)) + String.fromCharCode(A + (column % 26));
