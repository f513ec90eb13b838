const NEEDS_QUOTES = /[",\r\n]/;
/** A spreadsheet takes text that begins so, also behind blanks, for a formula. */
const FORMULA = /^[ \t\r\n]*[=+\-@\t\r]/;
const NUMBER = /^\s*[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?\s*$/;

/** One field of RFC 4180: quoted only where it must be. */
export const csvField = (text: string): string => (NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

/** Text that a spreadsheet would run is prefixed with an apostrophe; numbers stay numbers. */
export const formulaGuarded = (text: string): string => (FORMULA.test(text) && !NUMBER.test(text) ? `'${text}` : text);

/** @param raw leaves out the formula guard */
export const csvRecord = (fields: readonly (string | number | null)[], raw = false): string =>
  fields
    .map((field) => {
      if (field === null) return '';
      if (typeof field === 'number') return String(field);
      return csvField(raw ? field : formulaGuarded(field));
    })
    .join(',');
