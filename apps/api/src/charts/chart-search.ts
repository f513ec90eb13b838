import { Injectable } from '@nestjs/common';
import { MastersRepository } from '@donorlens/campaign-finance';
import { ChartVersionWatch } from '@donorlens/charts';
import { FEC_OFFICES } from '@donorlens/primitives';
import { LRUCache } from 'lru-cache';
import { AGE_DISTRIBUTION, BREAKDOWN, CANDIDATE_SEARCH, COMMITTEE_SEARCH } from './data-tables';
import { cachedPromise } from './donor-charts';
import { TableReader } from './table-reader';

/** A candidate or committee that has a chart. */
export interface Found {
  readonly id: string;
  readonly name: string;
  /** cycles with donors, ascending */
  readonly cycles: readonly number[];
}

/** A candidate with donors, or a committee of one. */
export interface Searchable {
  readonly id: string;
  /** as filed; empty if no candidate or committee master has it */
  readonly name: string;
  /** donors of the candidate in all cycles */
  readonly donors: number;
  /** ascending */
  readonly cycles: readonly number[];
  /** The candidate's own id, or that of the committee's candidate. */
  readonly candidateId: string;
}

/** Results of a search for parts of names, most donors first. */
export interface FoundByName {
  readonly nameParts: readonly string[];
  readonly first: readonly Found[];
  /** number of all results, including those not in `first` */
  readonly of: number;
}

interface DonorsInCycle {
  readonly id: string;
  readonly cycle: number;
  readonly donors: number;
}

const MAX_FOUND = 20;

/**
 * Finds candidates and committees that have charts by parts of candidate names; clients request the charts by id.
 * Without offices, it finds candidates for President.
 */
@Injectable()
export class ChartSearch {
  private readonly all = new LRUCache<string, Promise<readonly Searchable[]>>({ max: 1 });

  constructor(
    private readonly reader: TableReader,
    private readonly masters: MastersRepository,
    private readonly watch: ChartVersionWatch,
  ) {}

  /** Candidates, then committees with donors; the same array until the data changes. Empty before charts are built. */
  searchable(): Promise<readonly Searchable[]> {
    const { charts, masters } = this.watch.current();
    if (charts === null) return Promise.resolve([]);
    return cachedPromise(this.all, `${charts.id} ${masters?.id}`, () => this.readAll());
  }

  private async readAll(): Promise<Searchable[]> {
    const counted = await this.reader.read(BREAKDOWN, {
      ...{ candidate_id: [], cycle: [], office: FEC_OFFICES, by: ['gender'] },
      ...{ basis: [], ethnicity_basis: [] },
    });
    const totals = totalsOf([...counted.rows].map(({ candidateId: id, cycle, donors }) => ({ id, cycle, donors })));
    const links = (await this.masters.linksOf([...totals.keys()], FEC_OFFICES)).filter((one) =>
      totals.get(one.candidateId)?.cycles.has(one.cycle),
    );
    const names = await this.masters.namesOf([...totals.keys(), ...links.map(({ committeeId }) => committeeId)]);
    const candidates = [...totals].map(([id, { donors, cycles }]) => ({
      ...{ id, candidateId: id, name: names.get(id) ?? '', donors, cycles: [...cycles].sort() },
    }));
    const committees = new Map<string, Searchable>();
    for (const { committeeId: id, candidateId, cycle } of links)
      committees.set(id, {
        ...{ id, candidateId, name: names.get(id) ?? '', donors: totals.get(candidateId)!.donors },
        cycles: [...new Set([...(committees.get(id)?.cycles ?? []), cycle])],
      });
    return [...candidates, ...committees.values()];
  }

  /** @throws Problem 503 before the first version is published */
  async candidates(nameParts: readonly string[], office: readonly string[]): Promise<FoundByName> {
    const { rows } = await this.reader.read(CANDIDATE_SEARCH, { name_part: nameParts, cycle: [], office });
    const names = new Map([...rows].map((row) => [row.CAND_ID, row.CAND_NAME])); // newest name: rows ascend by cycle
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

interface Total {
  readonly cycles: Set<number>;
  donors: number;
}

function totalsOf(counted: readonly DonorsInCycle[]): ReadonlyMap<string, Total> {
  const totals = new Map<string, Total>();
  for (const { id, cycle, donors } of counted) {
    const total = totals.get(id) ?? { cycles: new Set(), donors: 0 };
    total.cycles.add(cycle);
    total.donors += donors;
    totals.set(id, total);
  }
  return totals;
}

async function found(
  nameParts: readonly string[],
  names: ReadonlyMap<string, string>,
  donorsOf: (ids: readonly string[]) => Promise<readonly DonorsInCycle[]>,
): Promise<FoundByName> {
  if (names.size === 0) return { nameParts, first: [], of: 0 }; // an empty list of ids would select all rows
  const totals = totalsOf(await donorsOf([...names.keys()]));
  const largest = [...totals].sort(([, a], [, b]) => b.donors - a.donors).slice(0, MAX_FOUND);
  const first = largest.map(([id, { cycles }]) => ({ id, name: names.get(id) ?? '', cycles: [...cycles].sort() }));
  return { nameParts, first, of: totals.size };
}
