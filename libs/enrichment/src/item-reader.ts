import { type ItemErrorCode } from '@donorlens/primitives';
import { type Release } from '@donorlens/reference-data';
import { type ChunkSpec } from './chunk';
import { type Contribution, emptyContribution } from './contribution';
import { type EnrichmentRules, EnrichedItem, enrichContribution, placeRules, zipOf } from './enrich-contribution';
import { type JsonKeys, jsonKeys, readJsonItem } from './json-contribution';
import { CsvRecordReader } from '@donorlens/tabular';

/** Iterates over the items of a chunk in CSV or JSON. */
export interface ItemReader {
  /** The last item read. All items share this object. */
  readonly contribution: Contribution;
  /** Position of the item's text in the chunk. */
  readonly start: number;
  readonly end: number;
  /** True if the text contains a byte that COPY escapes. */
  readonly hasEscaped: boolean;
  /** Starts reading other items of the same form. */
  open(input: Buffer): void;
  /** False at the end of the chunk. */
  next(): boolean;
  /** Reads the fields. @returns the error code if they cannot be read, else null */
  read(): ItemErrorCode | null;
}

/** The part of the specification of a chunk that determines how items are read. */
export type ItemSpec = Pick<ChunkSpec, 'type' | 'format' | 'columns' | 'mapping'>;

export const itemReader = (spec: ItemSpec, input: Buffer): ItemReader =>
  spec.format === 'csv' ? new CsvItems(spec, input) : new JsonItems(spec, input);

/** Column of each field; undefined if the field has none. Computed once per chunk. */
const columnsOf = ({ mapping }: ItemSpec) => ({
  firstName: mapping.first_name,
  surname: mapping.surname,
  contributorName: mapping.contributor_name,
  entityType: mapping.entity_type,
  date: mapping.date,
  year: mapping.year,
  fips: mapping.fips,
  street: mapping.street,
  street2: mapping.street_2,
  city: mapping.city,
  state: mapping.state,
  zip: mapping.zip,
});

class CsvItems implements ItemReader {
  readonly contribution = emptyContribution();
  private readonly record: CsvRecordReader;
  private readonly columns: ReturnType<typeof columnsOf>;
  private readonly fields: number | undefined;
  private readonly hasPlace: boolean;
  private readonly hasStreet: boolean;

  constructor(spec: ItemSpec, input: Buffer) {
    this.record = new CsvRecordReader(input);
    this.columns = columnsOf(spec);
    this.fields = spec.columns?.length;
    this.hasPlace = spec.type === 'contributions';
    this.hasStreet = this.columns.street !== undefined || this.columns.street2 !== undefined;
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

  open(input: Buffer): void {
    this.record.open(input);
  }

  next(): boolean {
    return this.record.read();
  }

  read(): ItemErrorCode | null {
    if (this.record.hasNul) return 'nul_byte';
    if (this.record.fields !== this.fields) return 'ragged_row';
    const { contribution, columns } = this;
    contribution.firstName = this.text(columns.firstName);
    contribution.surname = this.text(columns.surname);
    contribution.contributorName = this.text(columns.contributorName);
    contribution.entityType = this.text(columns.entityType);
    contribution.date = this.text(columns.date);
    contribution.year = this.text(columns.year);
    if (this.hasPlace) this.readPlace();
    return null;
  }

  private readPlace(): void {
    const { contribution, columns } = this;
    contribution.fips = this.text(columns.fips);
    contribution.state = this.text(columns.state);
    contribution.zip = this.text(columns.zip);
    if (!this.hasStreet) return; // without a street there is no address
    contribution.street = this.text(columns.street);
    contribution.street2 = this.text(columns.street2);
    contribution.city = this.text(columns.city);
  }

  private text(column: number | undefined): string | undefined {
    return column === undefined ? undefined : this.record.text(column);
  }
}

class JsonItems implements ItemReader {
  readonly contribution = emptyContribution();
  start = 0;
  end = -1;
  private readonly keys: JsonKeys;

  constructor(
    private readonly spec: ItemSpec,
    private input: Buffer,
  ) {
    this.keys = jsonKeys(spec.type, spec.columns, spec.mapping);
  }

  /** Most JSON contains backslashes, and a scan for them takes as long as escaping. */
  get hasEscaped(): boolean {
    return true;
  }

  open(input: Buffer): void {
    this.input = input;
    this.end = -1;
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

/** Reads the stored sources of items, in bytes, for values of names and ZIP that results do not contain. */
export class StoredItemReader {
  private readonly item = new EnrichedItem();
  private readonly reader: ItemReader;
  private readonly rules: EnrichmentRules;

  constructor(
    spec: ItemSpec,
    private readonly release: Release,
  ) {
    this.reader = itemReader(spec, Buffer.alloc(0));
    this.rules = placeRules(spec.type, release);
  }

  /** @returns names and ZIP by `placeRules`; without both if the source cannot be read; reused for the next item */
  enrich(source: Buffer): EnrichedItem {
    const { item, reader } = this;
    const fault = this.read(source);
    if (fault === null) enrichContribution(reader.contribution, this.release, this.rules, item);
    else item.refuse(fault);
    return item;
  }

  /** @returns domestic ZIP code, five digits; empty if there is none or the source cannot be read */
  readZip(source: Buffer): string {
    return this.read(source) === null ? zipOf(this.reader.contribution) : '';
  }

  private read(source: Buffer): ItemErrorCode | null {
    this.reader.open(source);
    return this.reader.next() ? this.reader.read() : 'internal';
  }
}
