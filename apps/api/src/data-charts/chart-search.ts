import { Injectable } from '@nestjs/common';
import { type ChartSubject } from '../pages/chart-subject';
import { type TableFile } from './table-files';
import { TableRows } from './table-rows';

/** Somebody of whom there is a chart. */
export interface Found {
  readonly id: string;
  readonly name: string;
  /** those with donors, ascending */
  readonly cycles: readonly number[];
}

/** What was found for parts of names, most donors first. */
export interface FoundByName {
  readonly nameParts: readonly string[];
  readonly first: readonly Found[];
  /** all that were found, in `first` or not */
  readonly of: number;
}

/** As many as can be chosen from at a glance. */
const MOST_FOUND = 20;

const place = (file: TableFile, column: string): number => Object.keys(file.columns).indexOf(column);

/** Finds whom a chart can be asked for by names, where only ids are known to the files. */
@Injectable()
export class ChartSearch {
  constructor(private readonly rows: TableRows) {}

  /** @throws Problem 503 where nothing is published yet */
  async find({ idName, search }: ChartSubject, nameParts: readonly string[]): Promise<FoundByName> {
    const { file, idColumn, nameColumn, donorsFile } = search;
    const names = new Map<string, string>(); // rows ascend by cycle: the newest name stays
    const named = await this.rows.read(file, { name_part: nameParts, cycle: [] });
    for (const row of named.rows) names.set(String(row[place(file, idColumn)]), String(row[place(file, nameColumn)]));
    if (names.size === 0) return { nameParts, first: [], of: 0 }; // without an id the next question would be for all
    const lists = { [idName]: [...names.keys()], cycle: [], by: ['gender'], basis: [] };
    const counted = await this.rows.read(donorsFile, lists);
    const found = new Map<string, { readonly cycles: Set<number>; donors: number }>();
    for (const row of counted.rows) {
      const id = String(row[place(donorsFile, idColumn)]);
      const one = found.get(id) ?? { cycles: new Set(), donors: 0 };
      one.cycles.add(Number(row[place(donorsFile, 'CYCLE')]));
      one.donors += Number(row[place(donorsFile, 'DONORS')]);
      found.set(id, one);
    }
    const largest = [...found].sort(([, a], [, b]) => b.donors - a.donors).slice(0, MOST_FOUND);
    const first = largest.map(([id, { cycles }]) => ({ id, name: names.get(id) ?? '', cycles: [...cycles].sort() }));
    return { nameParts, first, of: found.size };
  }
}
