import { Workbook, WorkbookError } from '@donorlens/tabular';
import { startingWith } from './input-bytes';
import { IntakeError } from './intake-error';
import { type IntakeRequest } from './intake-request';
import { INTAKE_LIMITS } from './limits';

/** First bytes of a zip, as an .xlsx workbook is one. */
const ZIP = 0x504b;
/** First bytes of an encrypted or old workbook, which the reader of the header refuses. */
const OLE = 0xd0cf;
const UTF16: Readonly<Record<number, 'utf-16le' | 'utf-16be' | undefined>> = { 0xfffe: 'utf-16le', 0xfeff: 'utf-16be' };

/** Format of an input by its first bytes. */
export interface FoundText {
  isUtf16?: boolean;
  /** Sheet that is read, and all sheets, of a workbook. */
  sheet?: string;
  sheets?: readonly string[];
}

/** Bounds the memory of the workbooks that a process reads at a time. */
export class WorkbookMemory {
  private held = 0;

  constructor(private readonly maxBytes: number = INTAKE_LIMITS.workbookBytes) {}

  /** @returns counts bytes of one workbook, and releases them all */
  open(): { readonly hold: (bytes: number) => void; readonly release: () => void } {
    let own = 0;
    const add = (bytes: number): void => {
      own += bytes;
      this.held += bytes;
    };
    const hold = (bytes: number): void => {
      if (this.held + bytes > this.maxBytes)
        throw new IntakeError('busy', 'too many workbooks arrive at once; try again in a minute', {
          retryAfterSeconds: 60,
        });
      add(bytes);
    };
    return { hold, release: () => add(-own) };
  }
}

/**
 * The bytes of an input as text that the readers of records know: UTF-16 as UTF-8, and a sheet of a workbook as CSV.
 * @param found - is filled in before the first bytes are passed on
 */
export async function* inputText(
  bytes: AsyncGenerator<Buffer, void>,
  { format, sheet, name }: Pick<IntakeRequest, 'format' | 'sheet' | 'name'>,
  found: FoundText,
  memory: WorkbookMemory,
): AsyncGenerator<Buffer, void> {
  const first = await bytes.next();
  if (first.done) return;
  const whole = startingWith(first.value, bytes);
  const mark = first.value.length < 2 ? 0 : first.value.readUInt16BE(0);
  const encoding = UTF16[mark];
  if (format === 'csv' && mark === ZIP) yield* sheetText(whole, sheet, found, memory);
  else if (format === 'csv' && name?.toLowerCase().endsWith('.xlsx') && mark !== OLE) throw noWorkbook();
  else if (sheet) throw noSheet();
  else if (encoding === undefined) yield* whole;
  else {
    found.isUtf16 = true;
    const decoder = new TextDecoder(encoding);
    for await (const piece of whole) yield Buffer.from(decoder.decode(piece, { stream: true }));
    yield Buffer.from(decoder.decode());
  }
}

const noWorkbook = (): IntakeError =>
  new IntakeError(
    'not_text',
    'the input is named .xlsx but is not a workbook; save it as .xlsx again, or name it .csv',
  );

export const noSheet = (): IntakeError =>
  new IntakeError('unknown_sheet', 'the input is not an .xlsx workbook; leave out the sheet');

async function* sheetText(
  bytes: AsyncIterable<Buffer>,
  chosen: string | null | undefined,
  found: FoundText,
  memory: WorkbookMemory,
): AsyncGenerator<Buffer, void> {
  const { hold, release } = memory.open();
  try {
    const workbook = await Workbook.open(bytes, hold);
    const sheet = workbook.sheet(chosen ?? undefined);
    Object.assign(found, { sheet: sheet.name, sheets: workbook.sheetNames });
    let length = 0;
    for await (const piece of workbook.csv(sheet)) {
      length += piece.length;
      if (length > INTAKE_LIMITS.bytes)
        throw new IntakeError('too_large', 'the sheet is larger than 2 GB as CSV; send it in parts');
      yield piece;
    }
  } catch (error) {
    throw error instanceof WorkbookError ? new IntakeError(error.code, error.message, error.values) : error;
  } finally {
    release();
  }
}
