import { ADULT_AGE } from '@donorlens/demographics';
import { type AddressKeys, type RequestedAddress } from '@donorlens/locations';
import { type ImportSpec, type ItemErrorCode, emptyCounts } from '@donorlens/primitives';
import { CELL, CopyText, ImportRecordReader } from '@donorlens/tabular';
import { AddressCollector, ChunkMismatchError } from './chunk-items';
import { type ChunkSpec, type EnrichedLines } from './chunk';
import { emptyContribution } from './contribution';
import {
  type EnrichmentRules,
  type EnrichmentTables,
  enrichContribution,
  enrichmentRules,
  EnrichedItem,
} from './enrich-contribution';
import { ImportRowFacts } from './import-row-facts';
import { writeRejected, writeStaged } from './staged-line';

const { CITY, ENTITY_TP, NAME, STATE, STREET_1, STREET_2, ZIP_CODE } = CELL;
/** Typical bytes of a line without its record. */
const LINE_TYPICAL = 192;
const NO_AGE = -1;

/**
 * Enriches import records into lines of COPY text for ContributionStore, one call per record. No record is left out: if
 * its enrichment fails, it is stored without attributes; if it cannot be read, it is stored as a reject.
 */
export class ImportLines implements EnrichedLines {
  readonly counts = emptyCounts();
  private readonly item = new EnrichedItem();
  private readonly contribution = emptyContribution();
  private readonly record: ImportRecordReader;
  private readonly rowFacts: ImportRowFacts;
  private readonly lines: CopyText;
  private readonly rules: EnrichmentRules;
  /** Null if addresses are not geocoded: only filings have streets, and some have synthetic addresses. */
  private readonly chunkAddresses: AddressCollector | null;
  private at: number;
  /** End of the last complete line. */
  private end = 0;

  /** @param input - import records, inflated */
  constructor(
    private readonly spec: ChunkSpec,
    filed: ImportSpec,
    input: Buffer,
    private readonly tables: EnrichmentTables,
    addressKeys: AddressKeys | null = null,
  ) {
    const hasStreets = filed.kind === 'filing' && filed.areAddressesMadeUp !== true;
    this.chunkAddresses = addressKeys && hasStreets ? new AddressCollector(addressKeys) : null;
    this.record = new ImportRecordReader(input, filed.kind);
    this.rowFacts = new ImportRowFacts(filed);
    this.lines = new CopyText(input.length + spec.rows * LINE_TYPICAL);
    this.rules = enrichmentRules(spec.type, spec.minAge);
    this.at = spec.firstRow - 1;
  }

  /** Lines of COPY text written so far, with the columns of STAGING_COLUMNS. */
  get copy(): Buffer {
    return this.lines.written;
  }

  get addresses(): readonly RequestedAddress[] {
    return this.chunkAddresses?.requested ?? [];
  }

  get skippedRows(): number {
    return this.chunkAddresses?.skippedRows ?? 0;
  }

  get row(): number {
    return this.at;
  }

  next(): boolean {
    const found = this.record.next();
    if (found) this.at++;
    const rows = this.at - this.spec.firstRow + 1;
    if (found ? rows > this.spec.rows : rows < this.spec.rows)
      throw new ChunkMismatchError('the number of records in the chunk differs from the stated number', {
        firstRow: this.spec.firstRow,
        rows: this.spec.rows,
        found: rows, // so far
      });
    return found;
  }

  enrich(isPoison: boolean): void {
    const isStored = isPoison ? this.stage('poison') : this.stage(null) || this.stage('internal');
    if (!isStored) this.reject(isPoison ? 'poison' : 'internal');
    this.end = this.lines.length;
    this.counts[this.item.outcome]++;
  }

  /**
   * @param failure - why the name is not read; null to read it
   * @returns false if the record cannot be read or the enrichment threw
   */
  private stage(failure: ItemErrorCode | null): boolean {
    const { lines, record, rowFacts, item } = this;
    lines.cutTo(this.end);
    try {
      if (!rowFacts.identify(record)) return false;
      if (failure === null) this.enrichRecord();
      else item.refuse(failure, 'failed');
      if (!rowFacts.count(record, item.parsed?.donor ?? null)) return false;
      const address = item.errorCode === null ? this.address() : null;
      const firstName = item.nameIndex < 0 ? null : this.tables.demographics.firstNameKey(item.nameIndex);
      writeStaged(lines, this.at, record, rowFacts, item, this.ageAdult(), firstName, address && address.key);
      if (item.errorCode === null) this.chunkAddresses?.count(address, item.outcome === 'ok');
      return true;
    } catch {
      return false;
    }
  }

  private enrichRecord(): void {
    const { record, contribution } = this;
    contribution.contributorName = record.text(NAME);
    contribution.entityType = record.text(ENTITY_TP);
    contribution.date = this.rowFacts.date;
    contribution.state = record.text(STATE);
    contribution.zip = record.text(ZIP_CODE);
    enrichContribution(contribution, this.tables, this.rules, this.item);
  }

  private address(): RequestedAddress | null {
    const { chunkAddresses, record, contribution } = this;
    if (chunkAddresses === null) return null;
    contribution.street = record.text(STREET_1);
    contribution.street2 = record.text(STREET_2);
    contribution.city = record.text(CITY);
    return chunkAddresses.find(contribution, this.at);
  }

  /** Computed only for a row that makes a donor, because such a row has a date. */
  private ageAdult(): number {
    const { item, rowFacts } = this;
    if (item.nameIndex < 0 || !rowFacts.counting.countsDonor) return NO_AGE;
    return this.tables.demographics.ages.ageAt(item.nameIndex, rowFacts.receivedOn, ADULT_AGE);
  }

  private reject(code: ItemErrorCode): void {
    this.lines.cutTo(this.end);
    this.item.refuse(code, 'failed');
    writeRejected(this.lines, this.at, code, this.record);
  }
}
