import { fieldsOf, separatorOf } from '@donorlens/tabular';
import { FilingError, type FilingHeader } from './filing';

const BLOCK_START = /^\/\*\s*header/i;
const BLOCK_END = /^\/\*\s*end\s*header/i;
const VERSION_LINE = /^FEC_Ver_?#\s*=\s*(\S+)/i;
const NAME_DELIMITER_LINE = /^NameDelim\s*=\s*(\S)$/i;
/** Amounts are in cents, without a decimal point. */
const NO_POINT_LINE = /^Dec\/NoDec\s*=\s*NoDec/i;
const COUNTS_LINE = /^Schedule_Counts/i;
const COUNT_LINE = /^([A-Z0-9/]{2,12})\s*=\s*(\d{1,9})$/i;
/** A delimiter in headers of versions 3 to 5; later versions have another column there. */
const NAME_DELIMITER = /^[^\w\s]$/;
const ORIGINAL = /^FEC-?(\d{1,12})$/i;
const MAX_HEADER_LINES = 500;

/** Reads the lines before the form: one `HDR` line, or in versions 1 and 2 a block between `/*` lines. */
export class HeaderReader {
  separator = ',';
  /** Separator of the parts of a name in one column. */
  nameDelimiter = '^';
  /** Number of lines of each kind that the block states. */
  readonly statedCounts = new Map<string, number>();
  private lines = 0;
  private inBlock = false;
  private inCounts = false;
  private version = '';
  private amends: string | null = null;

  /** The header after its last line; null before. @throws FilingError */
  read(line: Buffer): FilingHeader | null {
    if (++this.lines === 1) return this.begin(line);
    const text = line.toString('latin1').trim();
    if (this.lines > MAX_HEADER_LINES) throw new FilingError('filing_header', 'its header does not end', this.lines);
    if (BLOCK_END.test(text)) return this.endBlock();
    this.readBlockLine(text);
    return null;
  }

  private readBlockLine(text: string): void {
    if (NO_POINT_LINE.test(text))
      throw new FilingError('filing_version', 'its amounts have no decimal points', this.lines);
    this.version = VERSION_LINE.exec(text)?.[1] ?? this.version;
    this.nameDelimiter = NAME_DELIMITER_LINE.exec(text)?.[1] ?? this.nameDelimiter;
    this.amends = originalIn(text.slice(text.indexOf('=') + 1).trim()) ?? this.amends;
    this.inCounts ||= COUNTS_LINE.test(text);
    const count = this.inCounts ? COUNT_LINE.exec(text) : null;
    if (count !== null) this.statedCounts.set(count[1].toUpperCase(), Number(count[2]));
  }

  private begin(line: Buffer): FilingHeader | null {
    const start = withoutByteOrderMark(line);
    if (BLOCK_START.test(start.toString('latin1', 0, 40))) {
      this.inBlock = true;
      return null;
    }
    this.separator = separatorOf(start);
    const fields = fieldsOf(start, this.separator);
    if (fields[0].toUpperCase() !== 'HDR' || fields.length < 3)
      throw new FilingError('filing_header', 'does not begin with the header of an electronic filing', 1);
    if (NAME_DELIMITER.test(fields[5] ?? '')) this.nameDelimiter = fields[5];
    // The header of a paper filing has no file type before the version.
    return headerOf(fields[1].toUpperCase() === 'FEC' ? fields[2] : fields[1], fields);
  }

  private endBlock(): FilingHeader {
    if (!this.inBlock || this.version === '')
      throw new FilingError('filing_header', 'its header states no version', this.lines);
    return { version: this.version, amends: this.amends, amendment: this.amends === null ? 0 : 1 };
  }
}

/** The column of the amended report differs by version; its value has a distinctive form. */
function headerOf(version: string, fields: readonly string[]): FilingHeader {
  const at = fields.findIndex((field, index) => index >= 3 && ORIGINAL.test(field));
  if (at < 0) return { version, amends: null, amendment: 0 };
  const count = fields[at + 1] ?? '';
  return {
    version,
    amends: originalIn(fields[at]),
    amendment: /^\d{1,4}$/.test(count) ? Math.max(Number(count), 1) : 1,
  };
}

const originalIn = (field: string): string | null => ORIGINAL.exec(field)?.[1].replace(/^0+(?=\d)/, '') ?? null;

const withoutByteOrderMark = (line: Buffer): Buffer =>
  line[0] === 0xef && line[1] === 0xbb && line[2] === 0xbf ? line.subarray(3) : line;
