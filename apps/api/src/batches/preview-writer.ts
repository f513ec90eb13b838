import { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { type KeyIdentity } from '@donorlens/access-keys';
import { BatchIntake } from '@donorlens/batches';
import { ageGenderResult, contributionResult, enrichRows, ethnicityResult } from '@donorlens/enrichment';
import { AddressKeys } from '@donorlens/locations';
import { type BatchType, type CountyFinder, NO_PLACE, type Place, placeOf } from '@donorlens/primitives';
import { type Release } from '@donorlens/reference-data';
import { z } from 'zod';
import { drain } from '../http/request-body';
import { type Upload } from './batch-upload';

const PREVIEW_ROWS = 5;

export const previewSchema = z.object({
  format: z.enum(['csv', 'json']),
  delimiter: z.string().nullable(),
  columns: z.array(z.string()).nullable(),
  mapping: z.record(z.string(), z.string()).describe('What we read, and from which of your columns.'),
  unused: z
    .array(z.string())
    .nullable()
    .describe(
      'Your other columns: nothing is taken from them, they come back as they are. Null for JSON, whose keys are looked up item by item.',
    ),
  rows: z.array(
    z.object({ row: z.int(), source: z.string(), outcome: z.string(), result: z.record(z.string(), z.unknown()) }),
  ),
});

/** Reads the first rows of an upload and answers them; the rest of it is not read. */
@Injectable()
export class PreviewWriter {
  constructor(
    private readonly intake: BatchIntake,
    private readonly addressKeys: AddressKeys,
  ) {}

  async of(upload: Upload, identity: KeyIdentity, release: Release): Promise<z.infer<typeof previewSchema>> {
    const { type, format, mapping, minAge = null, source } = upload;
    const request = { type, format, mapping, minAge, apiKeyId: identity.id, releaseId: release.id };
    const { input, rows, ...found } = await this.intake
      .preview(request, source, PREVIEW_ROWS)
      .finally(() => source instanceof Readable && drain(source));
    const spec = { ...found, batchId: '', type, minAge, firstRow: 1, rows };
    return {
      format: found.format,
      delimiter: found.delimiter,
      columns: found.columns ? [...found.columns] : null,
      mapping: columnsByField(found.mapping, found.columns),
      unused: found.format === 'csv' ? unusedColumns(found.mapping, found.columns ?? []) : null,
      rows: enrichRows(spec, input, release, this.addressKeys).map(({ row, source: text, item }) => ({
        row,
        source: text,
        outcome: item.outcome,
        result: { ...resultOf(type, item, release) },
      })),
    };
  }
}

type Item = ReturnType<typeof enrichRows>[number]['item'];

const resultOf = (type: BatchType, item: Item, { counties }: Release): object => {
  if (type === 'age_gender') return ageGenderResult(item);
  if (type === 'ethnicity') return ethnicityResult(item, '');
  return contributionResult(
    item,
    placeOfRow(item, (fips) => counties.find(fips)),
  );
};

/** Nothing is looked up for a preview: an address that can be located is one that waits. */
const placeOfRow = ({ errorCode, addressKey, fips }: Item, countyOf: CountyFinder): Place =>
  errorCode === null ? placeOf(addressKey === null ? 'SKIPPED' : 'PENDING', fips, countyOf) : NO_PLACE;

const unusedColumns = (mapping: Readonly<Record<string, number | undefined>>, columns: readonly string[]): string[] => {
  const used = new Set(Object.values(mapping));
  return columns.filter((_, at) => !used.has(at));
};

const columnsByField = (
  mapping: Readonly<Record<string, number | undefined>>,
  columns: readonly string[] | null,
): Record<string, string> =>
  Object.fromEntries(
    Object.entries(mapping).flatMap(([field, at]) =>
      at === undefined ? [] : [[field, columns?.[at] ?? String(at + 1)]],
    ),
  );
