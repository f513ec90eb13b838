import {
  AREA_LEVELS,
  AreaTable,
  type BirthTable,
  type Census,
  Demographics,
  type EthnicGeography,
  type FirstNamePeople,
  PCT_COLUMNS,
  PackedKeyIndex,
  type ReferenceTables,
  type StepTable,
  type SurnameTable,
} from '@donorlens/demographics';
import { type CountyTable, PackedCountyTable } from '../tables/county-table';
import { ReleaseFormatError } from '../reference-data-error';
import { type CheckResult } from './release-checks';
import { type ZipColumns, ZIP_NUMBERS } from '../tables/zip-counties';
import {
  type Column,
  type Sections,
  contentHash,
  decodeSections,
  encodeSections,
  statedChecksum,
} from './release-binary';

/** Source of a release; shown with its name. */
export type ReleaseLabel = 'official' | 'folder' | 'sample';

/** Origin of one source file. */
export interface Provenance {
  /** path in the official layout, such as ssa/names.zip */
  readonly file: string;
  readonly url: string;
  /** ISO 8601, UTC */
  readonly retrievedAt: string;
  readonly sha256: string;
  readonly bytes: number;
  readonly rows: number;
}

export interface ReleaseFacts {
  readonly label: ReleaseLabel;
  /** ISO 8601, UTC */
  readonly createdAt: string;
  readonly provenance: readonly Provenance[];
  readonly checks: readonly CheckResult[];
}

export interface Release extends ReleaseFacts {
  /** day and content, such as 2026-11-20.3fa9c1; sample.1a2b3c for the sample */
  readonly id: string;
  /** checksum that the binary states of itself */
  readonly sha256: string;
  readonly bytes: number;
  /** years of birth of the first-name file */
  readonly firstDataYear: number;
  readonly lastDataYear: number;
  readonly demographics: Demographics;
  readonly tables: ReferenceTables;
  readonly counties: CountyTable & Iterable<{ readonly fips: string; readonly medianHouseholdIncome: number | null }>;
  /** People of areas by group; null without the ACS file. */
  readonly geography: EthnicGeography | null;
  /** Median household incomes in dollars; null without the ACS file. */
  readonly tractIncomes: AreaTable | null;
}

/** What is compiled: the tables of the arithmetic and the counties. */
export interface ReleaseContent {
  readonly tables: ReferenceTables;
  readonly counties: PackedCountyTable;
  readonly geography: EthnicGeography | null;
  readonly tractIncomes: AreaTable | null;
}

interface Meta extends ReleaseFacts {
  readonly id: string;
  readonly births: { readonly firstYear: number; readonly lastYear: number };
  readonly life: { readonly firstYear: number; readonly lastYear: number };
  /** Facts of the step table; null without one. */
  readonly steps: Readonly<Record<string, number>> | null;
}

/**
 * Packs tables and their origin into one binary. The id names the content, so equal content has an equal hash in it.
 */
export function encodeRelease(content: ReleaseContent, facts: ReleaseFacts): Uint8Array<ArrayBuffer> {
  const { births, life, steps } = content.tables;
  const sections = sectionsOf(content);
  const hash = contentHash(sections).slice(0, 6);
  const meta: Meta = {
    ...facts,
    id: `${facts.label === 'sample' ? 'sample' : facts.createdAt.slice(0, 10)}.${hash}`,
    births: { firstYear: births.firstYear, lastYear: births.lastYear },
    life: { firstYear: life.firstYear, lastYear: life.lastYear },
    steps: steps === null ? null : numbersOf(steps),
  };
  const json = Uint8Array.from(Buffer.from(JSON.stringify(meta), 'utf8'));
  return encodeSections(new Map<string, Column>([['meta', json], ...sections]));
}

/** @throws ReleaseFormatError */
export function openRelease(binary: Uint8Array<ArrayBuffer>): Release {
  const sections = decodeSections(binary);
  const meta = metaOf(sections);
  const tables: ReferenceTables = {
    births: birthsOf(sections, meta),
    life: { ...meta.life, q: column(sections, 'life.q', Float64Array) },
    steps: stepsOf(sections, meta),
    surnames2000: surnamesOf(sections, 2000),
    surnames2010: surnamesOf(sections, 2010),
    surnames2020: sections.has('surnames2020.pct') ? surnamesOf(sections, 2020) : undefined,
  };
  return {
    id: meta.id,
    label: meta.label,
    createdAt: meta.createdAt,
    provenance: meta.provenance,
    checks: meta.checks,
    sha256: statedChecksum(binary),
    bytes: binary.length,
    firstDataYear: meta.births.firstYear,
    lastDataYear: meta.births.lastYear,
    tables,
    demographics: new Demographics(tables),
    counties: countiesOf(sections),
    geography: sections.has('areas.nation') ? geographyOf(sections) : null,
    tractIncomes: sections.has('tractIncomes.codes') ? areaTableOf(sections, 'tractIncomes', 1) : null,
  };
}

function sectionsOf({ tables, counties, geography, tractIncomes }: ReleaseContent): Sections {
  const { births, life, steps, surnames2000, surnames2010, surnames2020 } = tables;
  const index = (name: string, keys: PackedKeyIndex): [string, Column][] => [
    [`${name}.blob`, keys.parts.blob],
    [`${name}.offsets`, keys.parts.offsets],
    [`${name}.slots`, keys.parts.slots],
  ];
  const surnames = (table: SurnameTable): [string, Column][] => [
    ...index(`surnames${table.census}`, table.names),
    [`surnames${table.census}.pct`, table.pct],
    [`surnames${table.census}.suppressed`, table.suppressed],
    [`surnames${table.census}.race`, table.race],
  ];
  return new Map<string, Column>([
    ...index('births', births.names),
    ['births.rowStart', births.rowStart],
    ['births.yearOffset', births.yearOffset],
    ['births.count', births.count],
    ['life.q', life.q],
    ...surnames(surnames2000),
    ...surnames(surnames2010),
    ...(surnames2020 ? surnames(surnames2020) : []),
    ['counties.fips', counties.columns.fips],
    ['counties.names', counties.columns.names],
    ['counties.nameOffsets', counties.columns.nameOffsets],
    ['counties.usps', counties.columns.usps],
    ['counties.income', counties.columns.income],
    ...(counties.zips === null ? [] : zipSections(counties.zips)),
    ...(geography === null ? [] : geographySections(geography)),
    ...(tractIncomes === null ? [] : areaSections('tractIncomes', tractIncomes)),
    ...(steps === null ? [] : arraysOf(steps)),
  ]);
}

const zipSections = ({ fips, share }: ZipColumns): [string, Column][] => [
  ['zips.fips', fips],
  ['zips.share', share],
];

const areaSections = (name: string, { codes, values }: AreaTable): [string, Column][] => [
  [`${name}.codes`, codes],
  [`${name}.values`, values],
];

const geographySections = (geography: EthnicGeography): [string, Column][] => [
  ['areas.nation', geography.nation],
  ['areas.otherNames', geography.otherNames],
  ...(geography.firstNames === null ? [] : firstNameSections(geography.firstNames)),
  ...AREA_LEVELS.flatMap((level) => areaSections(`areas.${level}`, geography[level])),
];

const firstNameSections = ({ names, all }: FirstNamePeople): [string, Column][] => [
  ...areaSections('firstNames', names),
  ['firstNames.all', all],
];

const isColumn = (value: unknown): value is Column => ArrayBuffer.isView(value);
const arraysOf = (steps: StepTable): [string, Column][] =>
  Object.entries(steps)
    .filter((entry): entry is [string, Column] => isColumn(entry[1]))
    .map(([name, values]) => [`steps.${name}`, values]);
const numbersOf = (steps: StepTable): Record<string, number> =>
  Object.fromEntries(Object.entries(steps).filter((entry): entry is [string, number] => typeof entry[1] === 'number'));

function metaOf(sections: Sections): Meta {
  const json = column(sections, 'meta', Uint8Array);
  try {
    // Written by encodeRelease and covered by the checksum, so its shape is known.
    return JSON.parse(Buffer.from(json).toString('utf8')) as Meta;
  } catch {
    throw new ReleaseFormatError('section meta is no JSON');
  }
}

function column<T extends Column>(sections: Sections, name: string, type: new (length: number) => T): T {
  const found = sections.get(name);
  if (!(found instanceof type)) throw new ReleaseFormatError(`section ${name} is missing or of another type`);
  return found;
}

/** Lengths that belong together must agree; a compiler that wrote something else is not to be trusted. */
function agree(name: string, found: number, expected: number): void {
  if (found !== expected) throw new ReleaseFormatError(`section ${name} has ${found} entries, expected ${expected}`);
}

function indexOf(sections: Sections, name: string): PackedKeyIndex {
  const parts = {
    blob: column(sections, `${name}.blob`, Uint8Array),
    offsets: column(sections, `${name}.offsets`, Uint32Array),
    slots: column(sections, `${name}.slots`, Uint32Array),
  };
  agree(`${name}.blob`, parts.blob.length, parts.offsets[parts.offsets.length - 1]);
  return new PackedKeyIndex(parts);
}

function birthsOf(sections: Sections, meta: Meta): BirthTable {
  const names = indexOf(sections, 'births');
  const rowStart = column(sections, 'births.rowStart', Uint32Array);
  const yearOffset = column(sections, 'births.yearOffset', Uint8Array);
  const count = column(sections, 'births.count', Uint32Array);
  agree('births.rowStart', rowStart.length, 2 * names.size + 1);
  agree('births.count', count.length, rowStart[rowStart.length - 1]);
  agree('births.yearOffset', yearOffset.length, count.length);
  return { ...meta.births, names, rowStart, yearOffset, count };
}

function surnamesOf(sections: Sections, census: Census): SurnameTable {
  const name = `surnames${census}`;
  const names = indexOf(sections, name);
  const pct = column(sections, `${name}.pct`, Uint16Array);
  const suppressed = column(sections, `${name}.suppressed`, Uint8Array);
  const race = column(sections, `${name}.race`, Uint8Array);
  agree(`${name}.pct`, pct.length, 6 * names.size);
  agree(`${name}.suppressed`, suppressed.length, names.size);
  agree(`${name}.race`, race.length, names.size);
  return { census, names, pct, suppressed, race };
}

function stepsOf(sections: Sections, meta: Meta): StepTable | null {
  if (meta.steps === null) return null;
  const arrays = [...sections].filter(([name]) => name.startsWith('steps.'));
  const fields: unknown = Object.fromEntries([
    ...Object.entries(meta.steps),
    ...arrays.map(([name, values]) => [name.slice('steps.'.length), values] as const),
  ]);
  // The fields are those that buildStepTable made and encodeRelease took apart.
  return fields as StepTable;
}

function countiesOf(sections: Sections): PackedCountyTable {
  const columns = {
    fips: column(sections, 'counties.fips', Uint8Array),
    names: column(sections, 'counties.names', Uint8Array),
    nameOffsets: column(sections, 'counties.nameOffsets', Uint32Array),
    usps: column(sections, 'counties.usps', Uint8Array),
    income: column(sections, 'counties.income', Uint32Array),
  };
  agree('counties.fips', columns.fips.length, 5 * columns.income.length);
  agree('counties.usps', columns.usps.length, 2 * columns.income.length);
  agree('counties.nameOffsets', columns.nameOffsets.length, columns.income.length + 1);
  return new PackedCountyTable(columns, sections.has('zips.fips') ? zipsOf(sections) : null);
}

function zipsOf(sections: Sections): ZipColumns {
  const zips = { fips: column(sections, 'zips.fips', Uint32Array), share: column(sections, 'zips.share', Uint16Array) };
  agree('zips.fips', zips.fips.length, ZIP_NUMBERS);
  agree('zips.share', zips.share.length, ZIP_NUMBERS);
  return zips;
}

function areaTableOf(sections: Sections, name: string, width: number, codesPerStart?: number): AreaTable {
  const codes = column(sections, `${name}.codes`, Float64Array);
  const values = column(sections, `${name}.values`, Uint32Array);
  agree(`${name}.values`, values.length, width * codes.length);
  return new AreaTable(codes, values, codesPerStart);
}

function firstNamesOf(sections: Sections): FirstNamePeople {
  const all = column(sections, 'firstNames.all', Float64Array);
  agree('firstNames.all', all.length, PCT_COLUMNS.length);
  return { names: areaTableOf(sections, 'firstNames', all.length, 1), all };
}

function geographyOf(sections: Sections): EthnicGeography {
  const nation = column(sections, 'areas.nation', Float64Array);
  const otherNames = column(sections, 'areas.otherNames', Uint16Array);
  agree('areas.nation', nation.length, PCT_COLUMNS.length);
  agree('areas.otherNames', otherNames.length, PCT_COLUMNS.length);
  const [tract, zcta, county] = AREA_LEVELS.map((level) => areaTableOf(sections, `areas.${level}`, nation.length));
  const firstNames = sections.has('firstNames.all') ? firstNamesOf(sections) : null;
  return { nation, otherNames, tract, zcta, county, firstNames };
}
