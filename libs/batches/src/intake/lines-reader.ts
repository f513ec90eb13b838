import { type ContributionField, type FieldMapping } from '@donorlens/primitives';
import { type ChunkBuilder } from './chunk-builder';
import { knownField } from './column-mapping';
import { textStart } from './header';
import { type InputReader } from './input-reader';
import { IntakeError } from './intake-error';
import { type IntakeRequest } from './intake-request';
import { type ItemKeys, isStorable, mappingOf } from './item-keys';
import { RecordScanner } from './record-scanner';

/** One JSON object a line. Whether a line is one is found out by whoever reads it: a bad line is a bad row. */
export class LinesReader implements InputReader {
  readonly delimiter = null;
  readonly isItcont = false;
  readonly oddQuotes = 0;
  private readonly keyOf: Partial<Record<ContributionField, string>> = {};
  private readonly scanner: RecordScanner;
  private begun = false;

  constructor(
    request: IntakeRequest,
    private readonly builder: ChunkBuilder,
    private readonly keys: ItemKeys,
  ) {
    for (const [name, key] of Object.entries(request.mapping ?? {})) {
      const field = knownField(name);
      if (key === '') continue; // each item is asked for the keys that we know
      if (!isStorable(key)) throw new IntakeError('unknown_column', `map.${field} names no key`, { field });
      this.keyOf[field] = key;
    }
    this.scanner = new RecordScanner({ delimiter: null, quoting: false, crLines: false }, builder, 1);
  }

  get columns(): readonly string[] {
    return this.keys.columns(Object.values(this.keyOf));
  }

  get mapping(): FieldMapping {
    return mappingOf(this.keyOf, this.columns);
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
