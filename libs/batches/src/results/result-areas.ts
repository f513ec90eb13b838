import {
  type AreaTable,
  type EthnicGeography,
  type PlaceEthnicity,
  type NameLookup,
  emptyPlaceEthnicity,
  needsNameLookup,
  placeEthnicity,
  tractIncome,
} from '@donorlens/demographics';
import { type BatchType, type NameDetailColumn } from '@donorlens/primitives';
import { APPENDED_DETAIL, COLUMN, type ResultRows, SHARE_COLUMNS } from './result-rows';

/** Names and ZIP of an item, as input of `placeEthnicity`. */
type PlacedItem = NameLookup & { readonly zip: string };

/** Reads the stored source of an item. */
interface PlacedItemReader {
  enrich(source: Buffer): PlacedItem;
  /** For a row that needs no lookup of its names. */
  readZip(source: Buffer): string;
}

/** Tables for what a batch of contributions gives beyond its stored results; null for what was not requested. */
export interface ResultAreas {
  readonly placed: {
    readonly geography: EthnicGeography;
    readonly items: PlacedItemReader;
  } | null;
  readonly tractIncomes: AreaTable | null;
}

export const NO_AREAS: ResultAreas = { placed: null, tractIncomes: null };

/** Estimates by area of the row last read. A location that arrives later counts from then on: nothing is stored. */
export class RowAreas {
  private readonly estimate = emptyPlaceEthnicity();
  /** Reused for all rows, so that rows need no allocation. */
  private readonly stored = {
    pctHundredths: new Uint16Array(SHARE_COLUMNS.length),
    race: null as string | null,
    isSurnameUnlisted: false,
    nameIndex: -1,
    zip: '',
  };

  constructor(private readonly areas: ResultAreas) {}

  get columns(): readonly string[] {
    const { placed, tractIncomes } = this.areas;
    return [...(placed ? ['ETHNICITY_BASIS', 'SURNAME_LISTED'] : []), ...(tractIncomes ? ['TRACT_INCOME_MEDIAN'] : [])];
  }

  /** Columns of APPENDED_DETAIL that the area columns do not have. */
  detailColumns(type: BatchType): readonly NameDetailColumn[] {
    const columns = APPENDED_DETAIL[type];
    return this.areas.placed ? columns.filter((column) => column !== 'ETHNICITY_BASIS') : columns;
  }

  /** CSV cells of `columns`, each after a comma; `ethnicity` must have read the row. */
  cells(rows: ResultRows): string {
    const { ethnicityBasis, isSurnameListed } = this.estimate;
    const income = this.tractIncome(rows);
    const placed = this.areas.placed ? `,${ethnicityBasis ?? ''},${isSurnameListed ?? ''}` : '';
    return income === undefined ? placed : `${placed},${income ?? ''}`;
  }

  /** Null if ethnicity by place was not requested. The object is reused for the next row. */
  ethnicity(rows: ResultRows): PlaceEthnicity | null {
    const { placed } = this.areas;
    if (placed === null) return null;
    if (!rows.isNull(COLUMN.error_code)) return Object.assign(this.estimate, emptyPlaceEthnicity());
    const { geography, items } = placed;
    const hasShares = !rows.isNull(COLUMN.pct_white);
    const item = needsNameLookup(geography, hasShares) ? items.enrich(rows.source) : this.storedItem(rows, items);
    const place = { fips: rows.text(COLUMN.fips), tract: rows.text(COLUMN.tract), zip: item.zip };
    return placeEthnicity(item, place, geography, this.estimate);
  }

  /** Fills `stored` from a row that has shares of its surname; its source is read for the ZIP only. */
  private storedItem(rows: ResultRows, items: PlacedItemReader): PlacedItem {
    const { stored } = this;
    for (let group = 0; group < SHARE_COLUMNS.length; group++)
      stored.pctHundredths[group] = rows.integer(SHARE_COLUMNS[group]);
    stored.race = rows.text(COLUMN.race);
    stored.zip = items.readZip(rows.source);
    return stored;
  }

  /** Undefined if incomes of tracts were not requested. */
  tractIncome(rows: ResultRows): number | null | undefined {
    const { tractIncomes } = this.areas;
    if (tractIncomes === null) return undefined;
    return tractIncome(tractIncomes, { fips: rows.text(COLUMN.fips), tract: rows.text(COLUMN.tract) });
  }
}
