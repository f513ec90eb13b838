import { Injectable } from '@nestjs/common';
import { AGE_DISTRIBUTION, BREAKDOWN, CANDIDATE_SEARCH, COMMITTEE_SEARCH } from './data-tables';
import { TableReader } from './table-reader';

/** A candidate or committee that has a chart. */
export interface Found {
  readonly id: string;
  readonly name: string;
  /** those with donors, ascending */
  readonly cycles: readonly number[];
}

/** Results of a search for parts of names, most donors first. */
export interface FoundByName {
  readonly nameParts: readonly string[];
  readonly first: readonly Found[];
  /** number of all results, in `first` or not */
  readonly of: number;
}

interface DonorsInCycle {
  readonly id: string;
  readonly cycle: number;
  readonly donors: number;
}

const MAX_FOUND = 20;

/**
 * Finds candidates and committees that have charts by parts of candidate names; charts themselves are requested by id.
 * Without offices, it finds those of the presidency.
 */
@Injectable()
export class ChartSearch {
  constructor(private readonly reader: TableReader) {}

  /** @throws Problem 503 before the first version is published */
  async candidates(nameParts: readonly string[], office: readonly string[]): Promise<FoundByName> {
    const { rows } = await this.reader.read(CANDIDATE_SEARCH, { name_part: nameParts, cycle: [], office });
    const names = new Map([...rows].map((row) => [row.CAND_ID, row.CAND_NAME])); // rows ascend by cycle: the newest name
    return found(nameParts, names, async (ids) => {
      const counted = await this.reader.read(BREAKDOWN, {
        ...{ candidate_id: ids, cycle: [], office, by: ['gender'] },
        ...{ basis: [], ethnicity_basis: [] },
      });
      return [...counted.rows].map(({ candidateId: id, cycle, donors }) => ({ id, cycle, donors }));
    });
  }

  /** @throws Problem 503 before the first version is published */
  async committees(nameParts: readonly string[], office: readonly string[]): Promise<FoundByName> {
    const { rows } = await this.reader.read(COMMITTEE_SEARCH, { name_part: nameParts, cycle: [], office });
    const names = new Map([...rows].map((row) => [row.CMTE_ID, row.CMTE_NM]));
    return found(nameParts, names, async (ids) => {
      const counted = await this.reader.read(AGE_DISTRIBUTION, { committee_id: ids, cycle: [], office, basis: [] });
      return [...counted.rows].map(({ committeeId: id, cycle, donors }) => ({ id, cycle, donors }));
    });
  }
}

async function found(
  nameParts: readonly string[],
  names: ReadonlyMap<string, string>,
  donorsOf: (ids: readonly string[]) => Promise<readonly DonorsInCycle[]>,
): Promise<FoundByName> {
  if (names.size === 0) return { nameParts, first: [], of: 0 }; // an empty list of ids would select all
  const totals = new Map<string, { readonly cycles: Set<number>; donors: number }>();
  for (const { id, cycle, donors } of await donorsOf([...names.keys()])) {
    const total = totals.get(id) ?? { cycles: new Set(), donors: 0 };
    total.cycles.add(cycle);
    total.donors += donors;
    totals.set(id, total);
  }
  const largest = [...totals].sort(([, a], [, b]) => b.donors - a.donors).slice(0, MAX_FOUND);
  const first = largest.map(([id, { cycles }]) => ({ id, name: names.get(id) ?? '', cycles: [...cycles].sort() }));
  return { nameParts, first, of: totals.size };
}
