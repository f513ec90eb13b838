import { type Pool, type PoolClient, type QueryResultRow } from 'pg';
import { DEFAULT_OFFICES, FEC_OFFICES, type FecOffice } from '@donorlens/primitives';
import { isLoadedLinkage, OWN_DESIGNATIONS } from './committee-office.store';
import {
  CANDIDATE_COLUMNS,
  COMMITTEE_COLUMNS,
  type Candidate,
  type Committee,
  LINKAGE_COLUMNS,
  type Masters,
  foldName,
} from './master-columns';

/** Name parts are alternatives, and so are cycles. An empty list is no condition. */
export interface MasterSearch {
  readonly nameParts: readonly string[];
  readonly cycles: readonly number[];
  /** offices of the candidates; the presidency if empty or missing */
  readonly offices?: readonly FecOffice[];
}

/** A candidate in a cycle, with the columns of the FEC's candidate master. */
export interface CandidateInCycle extends Candidate {
  readonly cycle: number;
}

/** A committee linked to a candidate in a cycle. If the cycle's committee master lacks it, only its id is known. */
export interface CommitteeInCycle
  extends Committee, Pick<Candidate, 'CAND_NAME' | 'CAND_PTY_AFFILIATION' | 'CAND_ELECTION_YR'> {
  readonly cycle: number;
  /** designation and type in the linkage, not in the committee master */
  readonly LINKAGE_DSGN: string;
  readonly LINKAGE_TP: string;
}

export interface MastersCoverage {
  readonly cycle: number;
  readonly candidates: number;
  readonly committees: number;
  readonly linkages: number;
  readonly label: 'official' | 'folder' | 'sample';
  readonly importedAt: Date;
  readonly files: readonly MasterSourceFile[];
}

/** Source of one of the three master files, stored with its import. */
export interface MasterSourceFile {
  readonly kind: 'cn' | 'cm' | 'ccl';
  readonly source: string;
  readonly sha256: string;
  readonly bytes: number;
  /** ISO 8601, UTC */
  readonly retrievedAt: string;
}

/** Office, state, district and party of a candidate, as in the candidate master: `H`, `MD`, `08`, `DEM`. */
export interface Seat {
  readonly office: string;
  readonly state: string;
  readonly district: string;
  /** empty if the party is unknown */
  readonly party: string;
}

/** Link between a committee and a candidate in a cycle. */
export interface CommitteeLink {
  readonly cycle: number;
  readonly candidateId: string;
  readonly committeeId: string;
  readonly isPrincipal: boolean;
}

const CANDIDATE_SEARCH = CANDIDATE_COLUMNS.map((column) => `c.${column} as "${column}"`).join(', ');
const COMMITTEE_SEARCH = COMMITTEE_COLUMNS.filter((column) => column !== 'CMTE_ID' && column !== 'CAND_ID')
  .map((column) => `coalesce(m.${column}, '') as "${column}"`)
  .join(', ');
const MATCHES = `(cardinality($1::text[]) = 0
    or exists (select from unnest($1::text[]) part where part <> '' and strpos(c.name_folded, part) > 0))
  and (cardinality($2::smallint[]) = 0 or c.cycle = any ($2::smallint[])) and left(c.cand_id, 1) = any ($3)`;

/** Reads and writes the tables candidate, committee and linkage. */
export class MastersRepository {
  constructor(private readonly pool: Pool) {}

  /** Runs in the caller's transaction: other transactions see the old rows of the cycle until it commits. */
  async replaceCycle(client: PoolClient, cycle: number, { candidates, committees, linkages }: Masters): Promise<void> {
    for (const table of ['candidate', 'committee', 'linkage'])
      await client.query(`delete from ${table} where cycle = $1`, [cycle]);
    const withFolded = candidates.map((row) => ({ ...row, name_folded: foldName(row.CAND_NAME) }));
    await insert(client, 'candidate', cycle, [...CANDIDATE_COLUMNS, 'name_folded'], withFolded);
    await insert(client, 'committee', cycle, COMMITTEE_COLUMNS, committees);
    const columns = LINKAGE_COLUMNS.filter((column) => column !== 'FEC_ELECTION_YR'); // equals the column cycle
    await insert(client, 'linkage', cycle, columns, linkages);
  }

  /**
   * Committees whose rows an import stores: those linked to a candidate for these offices in the cycle. If a committee
   * has no linkage in it, its nearest cycle decides (if two are equally near, the earlier one); its rows then count for
   * the committee only. Linkages to candidates of offices that are not loaded are ignored: charts would
   * count such a committee as presidential.
   * @param cycle - null: linked in any cycle
   */
  async committeesOf(offices: readonly FecOffice[], cycle: number | null = null): Promise<Set<string>> {
    const { rows } = await this.pool.query<{ cmte_id: string }>(
      `select distinct l.cmte_id from linkage l
       where left(l.cand_id, 1) = any ($1) and l.cmte_dsgn in ${OWN_DESIGNATIONS} and ${isLoadedLinkage('l')} and ($2::int is null or l.cycle = (
         select near.cycle from linkage near where near.cmte_id = l.cmte_id
         order by abs(near.cycle - $2), near.cycle limit 1))`,
      [offices, cycle],
    );
    return new Set(rows.map(({ cmte_id: id }) => id));
  }

  /** Offices of the stored candidates. @param cycle - null: candidates of all cycles */
  async officesOf(cycle: number | null = null): Promise<FecOffice[]> {
    const { rows } = await this.pool.query<{ office: string }>(
      'select distinct left(cand_id, 1) as office from candidate where $1::int is null or cycle = $1',
      [cycle],
    );
    return FEC_OFFICES.filter((one) => rows.some(({ office }) => office === one));
  }

  async hasCycle(cycle: number): Promise<boolean> {
    const { rows } = await this.pool.query<{ found: boolean }>(
      `select exists (select from candidate where cycle = $1) or exists (select from linkage where cycle = $1) as found`,
      [cycle],
    );
    return rows[0].found;
  }

  /** Whether the committee's contributions of the cycle belong to a candidate whose office is loaded. */
  async isLinked(committeeId: string, cycle: number): Promise<boolean> {
    const { rowCount } = await this.pool.query(
      `select from linkage l where l.cmte_id = $1 and l.cycle = $2 and ${isLoadedLinkage('l')}
         and l.cmte_dsgn in ${OWN_DESIGNATIONS} limit 1`,
      [committeeId, cycle],
    );
    return rowCount !== 0;
  }

  /** Finds candidates, sorted by cycle and candidate. */
  async candidateSearch(search: MasterSearch): Promise<CandidateInCycle[]> {
    return this.rows(
      `select c.cycle, ${CANDIDATE_SEARCH} from candidate c where ${MATCHES}
       order by c.cycle, c.cand_id collate "C"`,
      search,
    );
  }

  /** Finds committees of candidates, sorted by cycle, candidate and committee. */
  async committeeSearch(search: MasterSearch): Promise<CommitteeInCycle[]> {
    return this.rows(
      `select c.cycle, c.cand_id as "CAND_ID", c.cand_name as "CAND_NAME",
         c.cand_pty_affiliation as "CAND_PTY_AFFILIATION", c.cand_election_yr as "CAND_ELECTION_YR",
         l.cmte_dsgn as "LINKAGE_DSGN", l.cmte_tp as "LINKAGE_TP", l.cmte_id as "CMTE_ID", ${COMMITTEE_SEARCH}
       from candidate c join linkage l using (cand_id, cycle)
       left join committee m on m.cmte_id = l.cmte_id and m.cycle = l.cycle
       where ${MATCHES} order by c.cycle, c.cand_id collate "C", l.cmte_id collate "C"`,
      search,
    );
  }

  /** Newest names of candidates and committees by id; ids without a name are left out. */
  async namesOf(ids: readonly string[]): Promise<Map<string, string>> {
    const { rows } = await this.pool.query<{ id: string; name: string }>(
      `select distinct on (id) id, name
       from (select cand_id as id, cand_name as name, cycle from candidate where cand_id = any ($1)
             union all select cmte_id, cmte_nm, cycle from committee where cmte_id = any ($1)) named
       where name <> '' order by id, cycle desc`,
      [ids],
    );
    return new Map(rows.map(({ id, name }) => [id, name]));
  }

  /** Seats of these candidates by id, each from the newest candidate master. */
  async seatsOf(candidateIds: readonly string[]): Promise<Map<string, Seat>> {
    const { rows } = await this.pool.query<Seat & { id: string }>(
      `select distinct on (cand_id) cand_id as id, cand_office as office, cand_office_st as state,
         cand_office_district as district, coalesce(cand_pty_affiliation, '') as party
       from candidate where cand_id = any ($1) order by cand_id, cycle desc`,
      [candidateIds],
    );
    return new Map(rows.map(({ id, ...seat }) => [id, seat]));
  }

  /**
   * Links of candidates for these offices to the committees that raise money for them, if either id is in `ids`.
   * @param offices - the presidency if empty
   */
  async linksOf(ids: readonly string[], offices: readonly FecOffice[] = []): Promise<CommitteeLink[]> {
    const { rows } = await this.pool.query<CommitteeLink>(
      `select cycle, cand_id as "candidateId", cmte_id as "committeeId", cmte_dsgn = 'P' as "isPrincipal" from linkage
       where (cand_id = any ($1) or cmte_id = any ($1)) and left(cand_id, 1) = any ($2) and cmte_dsgn in ${OWN_DESIGNATIONS}
       order by cycle, cand_id collate "C", cmte_id collate "C"`,
      [ids, offices.length === 0 ? DEFAULT_OFFICES : offices],
    );
    return rows;
  }

  /** One row for each loaded cycle, with its source files. */
  async coverage(): Promise<MastersCoverage[]> {
    const { rows } = await this.pool.query<MastersCoverage & { files: MasterSourceFile[] | null }>(
      `select i.cycle, i.label, i.finished_at as "importedAt", i.detail -> 'files' as files,
         (select count(*)::int from candidate c where c.cycle = i.cycle) as candidates,
         (select count(*)::int from committee c where c.cycle = i.cycle) as committees,
         (select count(*)::int from linkage l where l.cycle = i.cycle and ${isLoadedLinkage('l')}) as linkages
       from (select distinct on (cycle) * from fec_import where kind = 'masters' and state = 'done'
             order by cycle, id desc) i
       order by i.cycle`,
    );
    return rows.map((row) => ({ ...row, files: row.files ?? [] }));
  }

  private async rows<Row extends QueryResultRow>(
    sql: string,
    { nameParts, cycles, offices = [] }: MasterSearch,
  ): Promise<Row[]> {
    const { rows } = await this.pool.query<Row>(sql, [
      nameParts.map((part) => foldName(part.trim())),
      cycles,
      offices.length === 0 ? DEFAULT_OFFICES : offices,
    ]);
    return rows;
  }
}

/** Passes each column as an array, so that one statement inserts any number of rows. */
async function insert<Column extends string>(
  client: PoolClient,
  table: string,
  cycle: number,
  columns: readonly Column[],
  rows: readonly Readonly<Record<Column, string>>[],
): Promise<void> {
  const places = columns.map((_, at) => `$${at + 2}::text[]`).join(', ');
  await client.query(
    `insert into ${table} (cycle, ${columns.join(', ')}) select $1, row.* from unnest(${places}) row`,
    [cycle, ...columns.map((column) => rows.map((row) => row[column]))],
  );
}
