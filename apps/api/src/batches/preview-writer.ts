import { Readable } from 'node:stream';
import { Inject, Injectable } from '@nestjs/common';
import { type KeyIdentity } from '@donorlens/access-keys';
import { BatchIntake, type BatchPreview } from '@donorlens/batches';
import { CONFIG, type Config } from '@donorlens/config';
import { type EthnicGeography, emptyPlaceEthnicity, placeEthnicity } from '@donorlens/demographics';
import { enrichRows, jsonKeys } from '@donorlens/enrichment';
import { AddressKeys } from '@donorlens/locations';
import {
  type BatchType,
  type CountyFinder,
  NO_PLACE,
  type Place,
  placeOf,
  ageGenderResult,
  contributionResult,
  ethnicityResult,
} from '@donorlens/primitives';
import { type Release } from '@donorlens/reference-data';
import { splitFields } from '@donorlens/tabular';
import { z } from 'zod';
import { drain } from '../http/request-body';
import { DonorAges, ageOfItem } from './donor-ages';
import { type Upload } from './batch-upload';
import { previewWarnings } from './preview-warnings';
import { requestedAreas } from '../schemas/parameters';
import { ethnicityBasisOf } from './batch-submission';

const PREVIEW_ROWS = 5;

export const previewSchema = z.object({
  format: z.enum(['csv', 'json']),
  delimiter: z.string().nullable(),
  sheet: z.string().optional().describe('The sheet that is read, of a workbook.'),
  sheets: z.array(z.string()).optional().describe('All sheets of a workbook.'),
  encoding: z
    .enum(['utf-8', 'windows-1252', 'mixed', 'utf-16'])
    .describe('mixed: some lines are UTF-8, the others are taken for windows-1252.'),
  recognised: z
    .enum(['openfec', 'itcont'])
    .nullable()
    .describe('A file that needs no mapping: an openFEC export, or the header-less file of the FEC.'),
  columns: z.array(z.string()).nullable(),
  mapping: z.record(z.string(), z.string()).describe('Field to the column that it is read from.'),
  unused: z
    .array(z.string())
    .nullable()
    .describe(
      'Columns that are not read; the results have them unchanged. Null for JSON, whose keys are looked up item by item.',
    ),
  warnings: z
    .array(z.object({ code: z.string(), message: z.string() }))
    .describe('What will have no answer, and what may have been read in another way than it was meant.'),
  rows: z.array(
    z.object({
      row: z.int(),
      source: z.string(),
      read: z.record(z.string(), z.string()).describe('What was read from it, by field.'),
      outcome: z.string(),
      result: z.record(z.string(), z.unknown()),
    }),
  ),
});

export type Preview = z.infer<typeof previewSchema>;

/** Previews the first rows of an upload without reading the rest. A warning names required columns that are missing. */
@Injectable()
export class PreviewWriter {
  constructor(
    private readonly intake: BatchIntake,
    private readonly addressKeys: AddressKeys,
    private readonly donorAges: DonorAges,
    @Inject(CONFIG) private readonly config: Pick<Config, 'ethnicityBasis'>,
  ) {}

  async read(upload: Upload, identity: KeyIdentity, release: Release): Promise<Preview> {
    const { type, format, sheet, mapping, minAge = null, ageBasis, ethnicityBasis, source } = upload;
    const basis = ethnicityBasisOf(type, ethnicityBasis, this.config.ethnicityBasis);
    const { geography } = requestedAreas(release, { ethnicityBasis: basis, tractIncome: false });
    const request = {
      type,
      format,
      sheet,
      mapping,
      minAge,
      apiKeyId: identity.id,
      releaseId: release.id,
      isDraft: true,
    };
    const { input, rows, ...found } = await this.intake
      .preview(request, source, PREVIEW_ROWS)
      .finally(() => source instanceof Readable && drain(source));
    const spec = { ...found, batchId: '', type, minAge, firstRow: 1, rows };
    const enriched = enrichRows(spec, input, release, this.addressKeys);
    const ages = ageBasis === 'donors' ? await this.donorAges.load(release) : null;
    if (ages !== null || ageBasis === 'group')
      for (const { item } of enriched) item.ageYears = ages === null ? null : ageOfItem(item, ages);
    const facts = enriched.map(({ item: { outcome, errorCode, addressKey }, source: text }) => {
      const isUnsendable =
        errorCode === null && addressKey === null && readValues(text, type, found).street !== undefined;
      return { outcome, errorCode, isUnsendable };
    });
    return {
      format: found.format,
      delimiter: found.delimiter,
      encoding: found.encoding,
      ...(found.sheets && { sheet: found.sheet, sheets: [...found.sheets] }),
      recognised: found.recognised,
      columns: found.columns ? [...found.columns] : null,
      mapping: columnsByField(found.mapping, found.columns),
      unused: found.format === 'csv' ? unusedColumns(found.mapping, found.columns ?? []) : null,
      warnings: previewWarnings({ ...found, type, rows: facts }),
      rows: enriched.map(({ row, source: text, item }) => ({
        row,
        source: text,
        read: readValues(text, type, found),
        outcome: item.outcome,
        result: { ...resultOf(type, item, release, geography) },
      })),
    };
  }
}

type Item = ReturnType<typeof enrichRows>[number]['item'];

function resultOf(type: BatchType, item: Item, { counties }: Release, geography: EthnicGeography | null): object {
  if (type === 'age_gender') return ageGenderResult(item);
  if (type === 'ethnicity') return ethnicityResult(item, '');
  const place = placeOfRow(item, (fips) => counties.find(fips));
  if (geography === null) return contributionResult(item, place);
  const { ageYears, gender, zip } = item;
  const estimate = placeEthnicity(
    item,
    { fips: place.fips, tract: place.tract, zip },
    geography,
    emptyPlaceEthnicity(),
  );
  const { race, pctHundredths, ethnicityBasis, isSurnameListed } = estimate;
  return {
    ...contributionResult({ ageYears, gender, race, pctHundredths }, place),
    ...{ ethnicity_basis: ethnicityBasis, surname_listed: isSurnameListed },
  };
}

/** A preview looks up no addresses, so an address that can be geocoded is PENDING. */
const placeOfRow = (item: Item, countyOf: CountyFinder): Place =>
  item.errorCode === null ? placeOf(item.addressKey === null ? 'SKIPPED' : 'PENDING', item, countyOf) : NO_PLACE;

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

type Found = Pick<BatchPreview, 'format' | 'columns' | 'mapping'>;

/** The values of an item by field, without blank values. */
function readValues(source: string, type: BatchType, found: Found): Readonly<Record<string, string>> {
  const pairs = found.format === 'csv' ? recordValues(source, found) : itemValues(source, type, found);
  return Object.fromEntries(pairs.filter(([, value]) => value !== ''));
}

function recordValues(source: string, { mapping }: Found): [string, string][] {
  const values = splitFields(source, ',', true);
  return Object.entries(mapping).map(([field, at]) => [field, values[at]?.trim() ?? '']);
}

function itemValues(source: string, type: BatchType, { columns, mapping }: Found): [string, string][] {
  const item = itemOf(source);
  return Object.entries(jsonKeys(type, columns, mapping)).map(([field, keys]) => {
    const value = keys.map((key) => item[key]).find((one) => one !== undefined && one !== null);
    return [field, typeof value === 'string' ? value.trim() : typeof value === 'number' ? String(value) : ''];
  });
}

/** An item that cannot be parsed is reported as an invalid row. */
function itemOf(source: string): Readonly<Record<string, unknown>> {
  try {
    const item: unknown = JSON.parse(source);
    return typeof item === 'object' && item !== null ? (item as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
