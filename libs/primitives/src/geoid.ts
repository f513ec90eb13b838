/** County code of five digits: state (2) and county (3). Text, because `06037` starts with a zero and means it. */
export type Fips = string;

/** The code as it was written; of one that a spreadsheet took the leading zero from (`6037`), with it. Null: it is none. */
export function fipsOf(text: string): Fips | null {
  if (/^\d{5}$/.test(text)) return text;
  return /^[1-9]\d{3}$/.test(text) ? `0${text}` : null;
}
