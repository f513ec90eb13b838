import { type BatchAnswer, type GeocoderAnswer, type GeocoderRow, type UnansweredReason } from '../geocoder';
import { readBatchRow } from './batch-row';

/** The id at the head of a row, also of one that is damaged further on. */
const HEAD = /^\s*"?(\d+)"?\s*,/;

/**
 * Joins the answer of a batch call to what was asked, by id, for its rows come in any order. Nothing of it is trusted:
 * a row that does not fit gives its address no answer rather than a wrong one. A row is a line, since no line break is
 * sent: damage ends with the line.
 * @param text   the body, read as Latin-1
 * @param sent   the rows as they were sent
 * @param isCut  true where the body broke off
 * @returns      null where not one line is a row
 */
export function readBatchAnswer(text: string, sent: readonly GeocoderRow[], isCut: boolean): BatchAnswer | null {
  const lines = text.split('\n');
  const tail = lines.pop() ?? '';
  const reader = new BatchReader(sent);
  for (const line of lines) reader.read(line, true);
  reader.read(tail, false);
  return reader.rows === 0 ? null : reader.joined(isCut ? 'truncated' : 'missing');
}

class BatchReader {
  rows = 0;
  private readonly asked: ReadonlyMap<string, { readonly id: number; readonly input: string }>;
  private readonly inputs: ReadonlySet<string>;
  private readonly found = new Map<string, GeocoderAnswer | UnansweredReason>();

  constructor(sent: readonly GeocoderRow[]) {
    this.asked = new Map(sent.map((row) => [String(row.id), { id: row.id, input: lettersOf(row) }]));
    this.inputs = new Set([...this.asked.values()].map(({ input }) => input));
  }

  /** @param isEnded  false for a last line without its end: what may be a part of a longer row is not taken */
  read(line: string, isEnded: boolean): void {
    const id = HEAD.exec(line)?.[1];
    if (id === undefined) return;
    const row = readBatchRow(line.trim());
    if (row) this.rows++;
    const own = this.asked.get(id);
    if (!own) return;
    if (this.found.has(id)) this.found.set(id, 'duplicate');
    else if (!row || (!isEnded && row.mayBeCut)) this.found.set(id, isEnded ? 'malformed' : 'truncated');
    else this.found.set(id, this.isOfAnother(letters(row.echo), own.input) ? 'misattributed' : row.answer);
  }

  private isOfAnother(echo: string, own: string): boolean {
    return echo !== own && this.inputs.has(echo);
  }

  joined(otherwise: UnansweredReason): BatchAnswer {
    const answers = new Map<number, GeocoderAnswer>();
    const unanswered = new Map<number, UnansweredReason>();
    for (const [text, { id }] of this.asked) {
      const found = this.found.get(text) ?? otherwise;
      if (typeof found === 'string') unanswered.set(id, found);
      else answers.set(id, found);
    }
    return { answers, unanswered };
  }
}

/** Letters and digits only: what the service leaves of an address when it gives it back. */
const letters = (text: string): string => text.toUpperCase().replace(/[^A-Z0-9]/g, '');
const lettersOf = ({ street, city, state, zip }: GeocoderRow): string => letters(street + city + state + zip);
