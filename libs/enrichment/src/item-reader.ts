import { type ContributionField, type ItemErrorCode } from '@donorlens/primitives';
import { type ChunkSpec } from './chunk-spec';
import { type Contribution, emptyContribution } from './contribution';
import { type JsonKeys, jsonKeys, readJsonItem } from './json-contribution';
import { RecordReader } from './record-reader';

/** Goes through the items of a chunk, whatever they are written in. */
export interface ItemReader {
  /** The item last read; one object for all. */
  readonly contribution: Contribution;
  /** Where the item's text stands in the chunk. */
  readonly start: number;
  readonly end: number;
  /** The text holds a byte that COPY escapes. */
  readonly hasEscaped: boolean;
  /** False at the end of the chunk. */
  next(): boolean;
  /** Reads the fields; says why it cannot. */
  read(): ItemErrorCode | null;
}

export const itemReader = (spec: ChunkSpec, input: Buffer): ItemReader =>
  spec.format === 'csv' ? new CsvItems(spec, input) : new JsonItems(spec, input);

class CsvItems implements ItemReader {
  readonly contribution = emptyContribution();
  private readonly record: RecordReader;

  constructor(
    private readonly spec: ChunkSpec,
    input: Buffer,
  ) {
    this.record = new RecordReader(input);
  }

  get start(): number {
    return this.record.start;
  }

  get end(): number {
    return this.record.end;
  }

  get hasEscaped(): boolean {
    return this.record.hasEscaped;
  }

  next(): boolean {
    return this.record.read();
  }

  read(): ItemErrorCode | null {
    if (this.record.hasNul) return 'nul_byte';
    if (this.record.fields !== this.spec.columns?.length) return 'ragged_row';
    const { contribution } = this;
    contribution.firstName = this.text('first_name');
    contribution.surname = this.text('surname');
    contribution.contributorName = this.text('contributor_name');
    contribution.entityType = this.text('entity_type');
    contribution.date = this.text('date');
    contribution.year = this.text('year');
    if (this.spec.type === 'contributions') this.readPlace();
    return null;
  }

  private readPlace(): void {
    const { contribution } = this;
    contribution.fips = this.text('fips');
    contribution.street = this.text('street');
    contribution.street2 = this.text('street_2');
    contribution.city = this.text('city');
    contribution.state = this.text('state');
    contribution.zip = this.text('zip');
  }

  private text(field: ContributionField): string | undefined {
    const column = this.spec.mapping[field];
    return column === undefined ? undefined : this.record.text(column);
  }
}

class JsonItems implements ItemReader {
  readonly contribution = emptyContribution();
  start = 0;
  end = -1;
  private readonly keys: JsonKeys;

  constructor(
    private readonly spec: ChunkSpec,
    private readonly input: Buffer,
  ) {
    this.keys = jsonKeys(spec.type, spec.columns, spec.mapping);
  }

  /** Backslashes are as good as certain in JSON, and a scan costs what escaping costs. */
  get hasEscaped(): boolean {
    return true;
  }

  next(): boolean {
    this.start = this.end + 1;
    if (this.start >= this.input.length) return false;
    const end = this.input.indexOf(10, this.start);
    this.end = end < 0 ? this.input.length : end;
    return true;
  }

  read(): ItemErrorCode | null {
    const text = this.input.toString('utf8', this.start, this.end);
    if (text.includes('\0')) return 'nul_byte';
    let item: unknown;
    try {
      item = JSON.parse(text);
    } catch {
      return 'bad_json';
    }
    return readJsonItem(item, this.keys, this.spec.type, this.contribution);
  }
}
