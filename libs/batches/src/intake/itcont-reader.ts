import { type FieldMapping, ITCONT_COLUMNS } from '@donorlens/primitives';
import { type ChunkBuilder } from './chunk-builder';
import { mapColumns } from './column-mapping';
import { textStart } from './header';
import { type InputReader } from './input-reader';
import { IntakeError } from './intake-error';
import { type IntakeRequest } from './intake-request';
import { INTAKE_LIMITS } from './limits';
import { RecordScanner } from './record-scanner';

/** The FEC's individual contributions file: no header, 21 columns between bars, a quote is a letter. */
export class ItcontReader implements InputReader {
  readonly columns = ITCONT_COLUMNS;
  readonly mapping: FieldMapping;
  readonly delimiter = '|';
  readonly isItcont = true;
  readonly oddQuotes = 0;
  private readonly scanner: RecordScanner;
  private begun = false;

  constructor(
    request: IntakeRequest,
    private readonly builder: ChunkBuilder,
  ) {
    this.mapping = mapColumns(ITCONT_COLUMNS, request.type, request.mapping, request.isDraft);
    this.scanner = new RecordScanner({ delimiter: 124, quoting: false, crLines: false }, builder, 1);
  }

  push(piece: Buffer): void {
    const start = this.begun ? 0 : textStart(piece);
    this.begun = true;
    this.scanner.push(piece.subarray(start));
  }

  finish(): void {
    this.scanner.finish();
    if (this.builder.rows === 0) throw new IntakeError('empty_input', 'the input is empty');
  }
}

/** Enough to see that a file does not begin with a committee's id. */
const ID_LENGTH = 10;
const BAR = 124;

/**
 * Whether a file without a stated format is the FEC's: its first line begins with a committee's id, and has its 21 fields.
 * @param whole  true when nothing more will come
 * @returns      null while its first line is not complete
 */
export function isItcont(bytes: Buffer, whole: boolean): boolean | null {
  const start = textStart(bytes);
  if (bytes.length < start + ID_LENGTH) return whole ? false : null;
  if (!/^C\d{8}\|$/.test(bytes.toString('latin1', start, start + ID_LENGTH))) return false;
  const end = bytes.indexOf(10, start);
  if (end < 0 && !whole && bytes.length < INTAKE_LIMITS.headerBytes) return null;
  let fields = 1;
  for (const byte of bytes.subarray(start, end < 0 ? bytes.length : end)) if (byte === BAR) fields++;
  return fields === ITCONT_COLUMNS.length;
}
