import { Injectable } from '@nestjs/common';
import { type CommitteeLink, MastersRepository, type Seat } from '@donorlens/campaign-finance';
import {
  type BreakdownRow,
  ChartVersionWatch,
  type DonorSizeRow,
  type OverlapRow,
  type RetentionRow,
} from '@donorlens/charts';
import { withTimeout } from '@donorlens/primitives';
import { LRUCache } from 'lru-cache';
import { BREAKDOWN, type DataTable, DONOR_SIZE, OVERLAP, RETENTION } from './data-tables';
import { type BasisAges, cachedPromise, DonorCharts, type LinesChart } from './donor-charts';
import { type Lists, officesOf } from './list-parameters';
import { TableReader } from './table-reader';

/** A candidate, and the donors of one cycle. */
export interface CandidateProfile {
  readonly id: string;
  /** as filed; empty if no candidate master has it */
  readonly name: string;
  readonly seat: Seat | null;
  /** committees in all cycles, principal ones first */
  readonly committees: readonly CandidateCommittee[];
  /** cycles with donors, ascending */
  readonly cycles: readonly number[];
  /** the requested cycle, or the newest with donors; null if there is none */
  readonly cycle: number | null;
  /** null if the candidate has no donors in the cycle */
  readonly donors: CycleDonors | null;
}

export interface CandidateCommittee {
  readonly id: string;
  /** as filed */
  readonly name: string;
  readonly isPrincipal: boolean;
  readonly cycles: readonly number[];
}

/** Donors of a candidate in a cycle, from the tables. */
export interface CycleDonors {
  readonly cycle: number;
  readonly count: number;
  readonly contributions: number;
  readonly amountCents: number;
  readonly line: LinesChart;
  /** by gender, age (of adults), state, income and occupation */
  readonly breakdowns: readonly BreakdownRow[];
  /** expected numbers; null while they are computed */
  readonly ethnicities: readonly BreakdownRow[] | null;
  readonly sizes: readonly DonorSizeRow[];
  readonly retention: RetentionRow | null;
  /** other candidates, most shared donors first */
  readonly overlaps: readonly (OverlapRow & { readonly otherName: string })[];
  /** ages of the principal committee with the most donors; empty without such a committee */
  readonly ages: readonly BasisAges[];
}

const MAX_CACHED = 64;
/** Versions change minutes apart, so a few attempts are enough. */
const MAX_RETRIES = 3;
/** A page does not wait longer, because reading the donors of a large candidate takes seconds. */
const ETHNICITY_WAIT_MS = 2_000;

/** Reads the data of candidate pages, once for each version. */
@Injectable()
export class CandidateProfiles {
  private readonly profiles = new LRUCache<string, Promise<StoredProfile>>({ max: MAX_CACHED });
  private readonly ethnicities = new LRUCache<string, Promise<readonly BreakdownRow[]>>({ max: MAX_CACHED });

  constructor(
    private readonly reader: TableReader,
    private readonly charts: DonorCharts,
    private readonly masters: MastersRepository,
    private readonly watch: ChartVersionWatch,
  ) {}

  /**
   * @param cycle - null for the newest cycle with donors
   * @returns null if the candidate is unknown
   * @throws Problem 503 before charts are built
   */
  async find(id: string, cycle: number | null): Promise<CandidateProfile | null> {
    for (let left = MAX_RETRIES; ; left--) {
      const key = this.keyOf(id, cycle);
      const { donors, ...profile } = await cachedPromise(this.profiles, key, () => this.read(id, cycle));
      const ethnicities = donors && (await this.ethnicitiesOf(id, donors.cycle));
      if (key !== this.keyOf(id, cycle) && left > 0) continue; // the parts may have two versions
      if (profile.name === '' && profile.cycles.length === 0) return null;
      return { ...profile, donors: donors && { ...donors, ethnicities } };
    }
  }

  private keyOf(id: string, cycle: number | null): string {
    const { charts, masters } = this.watch.current();
    return [charts?.id, masters?.id, id, cycle].join(' ');
  }

  private async read(id: string, requested: number | null): Promise<StoredProfile> {
    const office = officesOf({ office: [id[0]] });
    const all = await this.charts.lines({ candidate_id: [id], cycle: [], office });
    const cycles = all.parts.map(({ cycle }) => cycle).sort((a, b) => a - b);
    const cycle = requested ?? cycles.at(-1) ?? null;
    const links = await this.masters.linksOf([id], office);
    const names = await this.masters.namesOf([id, ...links.map(({ committeeId }) => committeeId)]);
    return {
      id,
      name: names.get(id) ?? '',
      seat: (await this.masters.seatsOf([id])).get(id) ?? null,
      committees: committeesOf(links, names, cycle),
      cycles,
      cycle,
      donors: cycle === null || !cycles.includes(cycle) ? null : await this.donorsOf(id, cycle, links),
    };
  }

  private async donorsOf(id: string, cycle: number, links: readonly CommitteeLink[]): Promise<Counted> {
    const office = [id[0]];
    const lists = { candidate_id: [id], cycle: [String(cycle)], office };
    const rowsOf = async <Row>(table: DataTable<Row>, more: Lists = {}): Promise<Row[]> => [
      ...(await this.reader.read(table, { ...lists, ...more })).rows,
    ];
    const [line, breakdowns, sizes, retention, overlaps] = await Promise.all([
      this.charts.lines(lists),
      rowsOf(BREAKDOWN, { by: [...BREAKDOWNS_SHOWN], basis: ['adult'], ethnicity_basis: [] }),
      rowsOf(DONOR_SIZE),
      rowsOf(RETENTION, { party: [] }),
      rowsOf(OVERLAP),
    ]);
    const names = await this.masters.namesOf(overlaps.map(({ otherCandidateId }) => otherCandidateId));
    const principal = links.filter((one) => one.cycle === cycle && one.isPrincipal).map((one) => one.committeeId);
    return {
      cycle,
      ...totalsOf(breakdowns),
      line,
      breakdowns,
      sizes,
      retention: retention[0] ?? null,
      overlaps: overlaps
        .map((one) => ({ ...one, otherName: names.get(one.otherCandidateId) ?? '' }))
        .sort((a, b) => b.shared - a.shared),
      ages: await this.agesOf(principal, cycle, office),
    };
  }

  private async agesOf(
    committeeIds: readonly string[],
    cycle: number,
    office: readonly string[],
  ): Promise<BasisAges[]> {
    if (committeeIds.length === 0) return []; // an empty list of ids would select all committees
    const lists = { committee_id: committeeIds, cycle: [String(cycle)], office, basis: ['adult'] };
    const [largest] = (await this.charts.ages(lists)).parts;
    return largest === undefined ? [] : this.charts.bases(largest.id, cycle, office);
  }

  /** null after ETHNICITY_WAIT_MS; the computation continues for the next request. */
  private async ethnicitiesOf(id: string, cycle: number): Promise<readonly BreakdownRow[] | null> {
    const lists = { candidate_id: [id], cycle: [String(cycle)], office: [id[0]] };
    const options = { by: ['ethnicity'], basis: [], ethnicity_basis: ['surname'] };
    const rows = cachedPromise(this.ethnicities, this.keyOf(id, cycle), async () => [
      ...(await this.reader.read(BREAKDOWN, { ...lists, ...options })).rows,
    ]);
    return withTimeout(ETHNICITY_WAIT_MS, () => rows).catch(() => null);
  }
}

type Counted = Omit<CycleDonors, 'ethnicities'>;
type StoredProfile = Omit<CandidateProfile, 'donors'> & { readonly donors: Counted | null };

const BREAKDOWNS_SHOWN = ['gender', 'age', 'state', 'income', 'occupation'] as const;

/** Totals of the gender rows: each donor is in exactly one of them. */
function totalsOf(rows: readonly BreakdownRow[]): Pick<CycleDonors, 'count' | 'contributions' | 'amountCents'> {
  const sexes = rows.filter(({ by }) => by === 'gender');
  const sum = (of: (row: BreakdownRow) => number | null): number =>
    sexes.reduce((total, row) => total + (of(row) ?? 0), 0);
  return {
    count: sum(({ donors }) => donors),
    contributions: sum(({ contributions }) => contributions),
    amountCents: sum(({ amountCents }) => amountCents),
  };
}

function committeesOf(
  links: readonly CommitteeLink[],
  names: ReadonlyMap<string, string>,
  shownCycle: number | null,
): CandidateCommittee[] {
  const ids = [...new Set(links.map(({ committeeId }) => committeeId))];
  const committees = ids.map((id) => {
    const own = links.filter(({ committeeId }) => committeeId === id);
    return {
      id,
      name: names.get(id) ?? '',
      isPrincipal: own.some(({ cycle, isPrincipal }) => isPrincipal && cycle === (shownCycle ?? cycle)),
      cycles: [...new Set(own.map(({ cycle }) => cycle))],
    };
  });
  return committees.sort((a, b) => Number(b.isPrincipal) - Number(a.isPrincipal));
}
