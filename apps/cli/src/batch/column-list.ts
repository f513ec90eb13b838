const MOST_SHOWN = 300;

/** Columns as they can be written after an option in a shell: in quotes where that is needed. Never what a terminal could take for a command. */
export const columnList = (columns: readonly string[]): string => shortened(columns.map(quoted).join(', '));

/** The columns of a header line. Where it has quotes itself it is shown as it is. */
export function headerColumns(header: string): string {
  if (header.includes('"')) return shortened(harmless(header));
  const [delimiter] = [',', ';', '\t', '|'].sort((one, other) => times(other, header) - times(one, header));
  return columnList(header.split(delimiter).map((name) => name.trim()));
}

const times = (delimiter: string, text: string): number => text.split(delimiter).length;

const quoted = (name: string): string => {
  const text = harmless(name);
  if (/^[\w.-]+$/.test(text)) return text;
  return /["$`\\!]/.test(text) ? `'${text.replaceAll("'", `'\\''`)}'` : `"${text}"`;
};

const harmless = (text: string): string => text.replace(/[\p{Cc}\p{Cf}]+/gu, ' ').trim();

const shortened = (text: string): string => (text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN)} …` : text);
