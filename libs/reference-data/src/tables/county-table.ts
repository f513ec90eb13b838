import { type Fips, type ZipCounty } from '@donorlens/primitives';
import { type IncomeFile, type ListedCounty } from './county-files';
import { type ZipColumns } from './zip-counties';

export interface County {
  readonly fips: Fips;
  readonly name: string;
  readonly stateUsps: string;
  /** Dollars a year, SAIPE 2018; null without an estimate. */
  readonly medianHouseholdIncome: number | null;
}

export interface CountyTable {
  readonly size: number;
  find(fips: Fips): County | null;
  /** The county in which most people of a ZIP live; null if the release has none. @param zip - five digits, or '' */
  findZip(zip: string): ZipCounty | null;
}

/** Columns as the release binary stores them, ordered by code. */
export interface CountyColumns {
  /** five digits per county */
  readonly fips: Uint8Array;
  readonly names: Uint8Array;
  /** name i is names[nameOffsets[i]] up to names[nameOffsets[i + 1]] */
  readonly nameOffsets: Uint32Array;
  /** two letters per county */
  readonly usps: Uint8Array;
  /** NO_INCOME without an estimate. */
  readonly income: Uint32Array;
}

const NO_INCOME = 0xffffffff;

/**
 * Codes of the 2010 list that the 2018 estimates no longer have, with the code of the successor
 * (Census Bureau, Substantial Changes to Counties and County Equivalent Entities: 2010s): two were renamed,
 * Bedford city became part of Bedford County.
 */
const SUCCESSORS: Readonly<Record<string, string>> = { '02270': '02158', '46113': '46102', '51515': '51019' };

/**
 * All counties of both files. If both have a county, its name is that of the estimates, which is newer. A county that
 * only the older list has keeps its name and gets the income of its successor.
 */
export function countyColumns(listed: readonly ListedCounty[], income: IncomeFile): CountyColumns {
  const estimates = new Map(income.counties.map((county) => [county.fips, county]));
  const counties = new Map<string, County>(estimates);
  for (const county of listed) {
    if (counties.has(county.fips)) continue;
    const successor = estimates.get(SUCCESSORS[county.fips]);
    counties.set(county.fips, { ...county, medianHouseholdIncome: successor?.medianHouseholdIncome ?? null });
  }
  return columnsOf([...counties.values()].sort((a, b) => (a.fips < b.fips ? -1 : 1)));
}

function columnsOf(counties: readonly County[]): CountyColumns {
  const names = counties.map((county) => Buffer.from(county.name, 'utf8'));
  const nameOffsets = new Uint32Array(counties.length + 1);
  names.forEach((name, i) => (nameOffsets[i + 1] = nameOffsets[i] + name.length));
  const text = (parts: string[]): Uint8Array => Uint8Array.from(Buffer.from(parts.join(''), 'latin1'));
  return {
    fips: text(counties.map((county) => county.fips)),
    names: Uint8Array.from(Buffer.concat(names)),
    nameOffsets,
    usps: text(counties.map((county) => county.stateUsps)),
    income: Uint32Array.from(counties, (county) => county.medianHouseholdIncome ?? NO_INCOME),
  };
}

/**
 * Counties that only newer boundaries have, as a geocoder may name them: known when they are requested, and no part of
 * a release. Valdez-Cordova Census Area, 02261, became two on 2 January 2019 (source as above): both get its income.
 * The planning regions of Connecticut, in vintages from 2022 on, cut across its old counties: no estimate is theirs.
 */
const LATER: readonly (readonly [fips: Fips, name: string, stateUsps: string, before: Fips | null])[] = [
  ['02063', 'Chugach Census Area', 'AK', '02261'],
  ['02066', 'Copper River Census Area', 'AK', '02261'],
  ['09110', 'Capitol Planning Region', 'CT', null],
  ['09120', 'Greater Bridgeport Planning Region', 'CT', null],
  ['09130', 'Lower Connecticut River Valley Planning Region', 'CT', null],
  ['09140', 'Naugatuck Valley Planning Region', 'CT', null],
  ['09150', 'Northeastern Connecticut Planning Region', 'CT', null],
  ['09160', 'Northwest Hills Planning Region', 'CT', null],
  ['09170', 'South Central Connecticut Planning Region', 'CT', null],
  ['09180', 'Southeastern Connecticut Planning Region', 'CT', null],
  ['09190', 'Western Connecticut Planning Region', 'CT', null],
];

/** Counties by code, from the columns of a release; the maps are created on first use. */
export class PackedCountyTable implements CountyTable {
  /** Number of counties of the release. */
  readonly size: number;
  private byFips: ReadonlyMap<Fips, County> | undefined;
  private later: ReadonlyMap<Fips, County> | undefined;

  /** @param zips - null in a release without ZIPs */
  constructor(
    readonly columns: CountyColumns,
    readonly zips: ZipColumns | null = null,
  ) {
    this.size = columns.income.length;
  }

  find(fips: Fips): County | null {
    const counties = (this.byFips ??= mapOf(this.columns));
    return counties.get(fips) ?? (this.later ??= laterCounties(counties)).get(fips) ?? null;
  }

  findZip(zip: string): ZipCounty | null {
    const code = this.zips?.fips[Number(zip)];
    if (!code) return null;
    const county = this.find(String(code).padStart(5, '0'));
    return county && { county, sharePct: this.zips.share[Number(zip)] / 100 };
  }

  [Symbol.iterator](): Iterator<County> {
    return (this.byFips ??= mapOf(this.columns)).values();
  }
}

function mapOf({ fips, names, nameOffsets, usps, income }: CountyColumns): ReadonlyMap<Fips, County> {
  const bufferOf = (from: Uint8Array): Buffer => Buffer.from(from.buffer, from.byteOffset, from.byteLength);
  const codes = bufferOf(fips).toString('latin1');
  const postal = bufferOf(usps).toString('latin1');
  const text = bufferOf(names);
  const counties = Array.from(income, (dollars, i): [Fips, County] => {
    const code = codes.slice(5 * i, 5 * i + 5);
    const county = {
      fips: code,
      name: text.toString('utf8', nameOffsets[i], nameOffsets[i + 1]),
      stateUsps: postal.slice(2 * i, 2 * i + 2),
      medianHouseholdIncome: dollars === NO_INCOME ? null : dollars,
    };
    return [code, Object.freeze(county)];
  });
  return new Map(counties);
}

function laterCounties(counties: ReadonlyMap<Fips, County>): ReadonlyMap<Fips, County> {
  return new Map(
    LATER.map(([fips, name, stateUsps, before]) => {
      const medianHouseholdIncome = (before === null ? null : counties.get(before)?.medianHouseholdIncome) ?? null;
      return [fips, Object.freeze({ fips, name, stateUsps, medianHouseholdIncome })];
    }),
  );
}
