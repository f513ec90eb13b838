/** Fields of one record of delimited text, quotes read as the record scanner reads them. For headers and odd records. */
export function splitFields(record: string, delimiter: string, quoting: boolean): string[] {
  if (!quoting || !record.includes('"')) return record.split(delimiter);
  const fields: string[] = [];
  for (let at = 0; at <= record.length; at++) {
    const field = readField(record, at, delimiter);
    fields.push(field.text);
    at = field.end;
  }
  return fields;
}

function readField(record: string, at: number, delimiter: string): { text: string; end: number } {
  let text = '';
  if (record[at] === '"') {
    for (at++; at < record.length; at++) {
      if (record[at] !== '"') text += record[at];
      else if (record[at + 1] === '"') text += record[at++];
      else break;
    }
    at++;
  }
  const end = record.indexOf(delimiter, at);
  const stop = end < 0 ? record.length : end;
  return { text: text + record.slice(at, stop), end: stop };
}
