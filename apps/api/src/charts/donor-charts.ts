import { Injectable } from '@nestjs/common';
import { MastersRepository, type Seat } from '@donorlens/campaign-finance';
import { ChartVersionWatch, COMMITTEE_AGE_BASES, type CommitteeAgeBasis } from '@donorlens/charts';
import { LRUCache } from 'lru-cache';
import { AGE_DISTRIBUTION, CUMULATIVE_DONORS, type DataTable } from './data-tables';
import { CANDIDATE_ID, COMMITTEE_ID, type Lists, officesOf } from './list-parameters';
import { type DonorAges, donorAges, type DonorLine, donorLines, type Drawn } from './donor-series';
import { type Published, TableReader } from './table-reader';

/** The part of a table that a chart shows, and the version of the data. */
export interface Charted<T> extends Drawn<T> {
  readonly version: Published;
  /** names of the parts, the requested and the linked ids, by id; an id that is in no master is omitted */
  readonly names: ReadonlyMap<string, string>;
  /** candidates of the drawn committees, or principal committees of the drawn candidates */
  readonly linked: readonly string[];
  /** candidate of each drawn principal committee */
  readonly candidates: ReadonlyMap<string, string>;
  /** seats that the candidates of the parts run for, by candidate id */
  readonly seats: ReadonlyMap<string, Seat>;
}

export type AgesChart = Charted<DonorAges>;
export type LinesChart = Charted<DonorLine>;

/** Ages of a committee in a cycle by one basis. */
export interface BasisAges {
  readonly basis: CommitteeAgeBasis;
  readonly part: DonorAges;
}

/** Parameters with ids, whose names are read even if the chart shows no part of them. */
const ID_PARAMETERS = [CANDIDATE_ID.name, COMMITTEE_ID.name];
/** A chart has at most a few thousand numbers. */
const MAX_CACHED = 64;

/** Returns the cached promise, or caches a new one until it rejects. */
export function cachedPromise<T>(cache: LRUCache<string, Promise<T>>, key: string, make: () => Promise<T>): Promise<T> {
  const before = cache.get(key);
  if (before !== undefined) return before;
  const making = make();
  making.catch(() => cache.delete(key));
  cache.set(key, making);
  return making;
}

/** Charts of the rows of a table, read once for each version and query. */
@Injectable()
export class DonorCharts {
  private readonly cache = new LRUCache<string, Promise<unknown>>({ max: MAX_CACHED });

  constructor(
    private readonly reader: TableReader,
    private readonly masters: MastersRepository,
    private readonly watch: ChartVersionWatch,
  ) {}

  /** @throws Problem 503 before charts are built */
  ages(lists: Lists): Promise<AgesChart> {
    return this.cached(AGE_DISTRIBUTION, lists, (rows) => Promise.resolve(donorAges(rows)));
  }

  /** @throws Problem 503 before charts are built */
  lines(lists: Lists): Promise<LinesChart> {
    return this.cached(CUMULATIVE_DONORS, lists, donorLines);
  }

  /** Ages of a committee in a cycle by each basis that has estimates. @throws Problem 503 before charts are built */
  async bases(committeeId: string, cycle: number, office: readonly string[]): Promise<BasisAges[]> {
    const lists = { committee_id: [committeeId], cycle: [String(cycle)], office };
    const found = COMMITTEE_AGE_BASES.map(async (basis) => {
      const { parts } = await this.ages({ ...lists, basis: [basis] });
      return parts.map((part) => ({ basis, part }));
    });
    return (await Promise.all(found)).flat();
  }

  private cached<Row, T extends { readonly id: string }>(
    table: DataTable<Row>,
    lists: Lists,
    draw: (rows: Iterable<Row>) => Promise<Drawn<T>>,
  ): Promise<Charted<T>> {
    const { charts, masters } = this.watch.current();
    const key = [charts?.id, masters?.id, table.path, JSON.stringify(Object.entries(lists).sort())].join(' ');
    const cache = this.cache as LRUCache<string, Promise<Charted<T>>>; // the path in the key implies the type
    return cachedPromise(cache, key, () => this.charted(table, lists, draw));
  }

  private async charted<Row, T extends { readonly id: string }>(
    table: DataTable<Row>,
    lists: Lists,
    draw: (rows: Iterable<Row>) => Promise<Drawn<T>>,
  ): Promise<Charted<T>> {
    const { version, rows } = await this.reader.read(table, lists);
    const drawn = await draw(rows);
    const ids = [...new Set(drawn.parts.map(({ id }) => id))];
    const links = await this.masters.linksOf(ids, officesOf(lists));
    const ofCommittees = links.filter(({ committeeId }) => ids.includes(committeeId)).map((link) => link.candidateId);
    const ofCandidates = links.filter((link) => ids.includes(link.candidateId) && link.isPrincipal);
    const linked = [...new Set([...ofCommittees, ...ofCandidates.map(({ committeeId }) => committeeId)])];
    const principal = links.filter(({ committeeId, isPrincipal }) => isPrincipal && ids.includes(committeeId));
    const candidates = new Map(principal.map(({ committeeId, candidateId }) => [committeeId, candidateId]));
    const names = await this.masters.namesOf([
      ...ids,
      ...linked,
      ...ID_PARAMETERS.flatMap((name) => lists[name] ?? []),
    ]);
    const seats = await this.masters.seatsOf([...ids, ...candidates.values()]);
    return { ...drawn, version, names, linked, candidates, seats };
  }
}
