import { LayoutError } from './reference-data-error';

/** Calls `visit` with each line (CRLF and LF alike) and its number from 1; a last empty line is no line. */
export function eachLine(bytes: Buffer, visit: (line: string, number: number) => void): void {
  const text = bytes.toString('latin1');
  let number = 0;
  for (let at = 0; at < text.length;) {
    const lf = text.indexOf('\n', at);
    const end = lf < 0 ? text.length : lf;
    visit(text.slice(at, end > at && text.charCodeAt(end - 1) === 13 ? end - 1 : end), ++number);
    at = end + 1;
  }
}

/** Whole number without sign, blanks or exponent. */
export function wholeNumber(file: string, line: number, field: string, text: string): number {
  if (!/^\d{1,10}$/.test(text)) throw new LayoutError(file, line, `${field} is no whole number`);
  return Number(text);
}
