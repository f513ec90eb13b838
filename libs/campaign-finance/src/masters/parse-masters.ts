import { DEFAULT_OFFICES, type FecOffice, officeOf } from '@donorlens/primitives';
import {
  CANDIDATE_COLUMNS,
  COMMITTEE_COLUMNS,
  type Candidate,
  type Committee,
  LINKAGE_COLUMNS,
  type Linkage,
} from './master-columns';
import { MasterFileError, type MasterReport, type Verdict, readMaster } from './read-master';

type Offices = readonly FecOffice[];

export interface ParsedMaster<Row> {
  readonly rows: readonly Row[];
  readonly report: MasterReport;
}

const CANDIDATE_ID = /^[HSP][0-9A-Z]{8}$/;
/** CAND_ID of a linkage; for a joint fundraiser it may be the id of a committee. */
const LINKED_ID = /^[HSPC][0-9A-Z]{8}$/;
const PRESIDENTIAL_ID = /^P\d{8}$/;
const COMMITTEE_ID = /^C\d{8}$/;

/**
 * Parses the candidates of a `cn` file for these offices.
 * @param file - name of the file in error messages
 * @throws MasterFileError if more than 1% of the lines are invalid, or if no candidate runs for these offices
 */
export function parseCandidates(
  file: string,
  bytes: Buffer,
  offices: Offices = DEFAULT_OFFICES,
): ParsedMaster<Candidate> {
  const candidates = new Map<string, Candidate>();
  const report = readMaster(file, bytes, CANDIDATE_COLUMNS, (row) => {
    if (!(row.CAND_OFFICE === 'P' ? PRESIDENTIAL_ID : CANDIDATE_ID).test(row.CAND_ID)) return 'bad_candidate_id';
    const isOfOffices = row.CAND_OFFICE === officeOf(row.CAND_ID) && isFor(row, offices);
    return isOfOffices ? kept(candidates, row.CAND_ID, row, lastWins) : 'passed';
  });
  return { rows: [...candidates.values()], report };
}

/**
 * Parses the linkages of a `ccl` file, one for each candidate and committee: the one whose election is nearest at or
 * after the cycle, then the one with the highest LINKAGE_ID. The rows include linkages of other offices: a committee
 * with one has a linkage in this cycle, so no other cycle decides. The report does not count them as kept.
 * @throws MasterFileError as parseCandidates, and if the file belongs to another cycle
 */
export function parseLinkages(
  file: string,
  bytes: Buffer,
  cycle: number,
  offices: Offices = DEFAULT_OFFICES,
): ParsedMaster<Linkage> {
  const linkages = new Map<string, Linkage>();
  const otherCycles = new Map<string, number>();
  const report = readMaster(
    file,
    bytes,
    LINKAGE_COLUMNS,
    (row): Verdict => {
      if (!LINKED_ID.test(row.CAND_ID)) return 'bad_candidate_id';
      if (!COMMITTEE_ID.test(row.CMTE_ID)) return 'bad_committee_id';
      if (row.FEC_ELECTION_YR !== String(cycle)) {
        otherCycles.set(row.FEC_ELECTION_YR, (otherCycles.get(row.FEC_ELECTION_YR) ?? 0) + 1);
        return 'other_cycle';
      }
      const verdict = kept(linkages, `${row.CAND_ID} ${row.CMTE_ID}`, row, (a, b) => nearerLinkage(a, b, cycle));
      return isFor(row, offices) ? verdict : 'passed';
    },
    ({ lines }) => {
      const [[other, count] = ['', 0]] = [...otherCycles].sort((a, b) => b[1] - a[1]);
      if (count > lines / 2) throw new MasterFileError(file, `is of cycle ${other}, not of ${cycle}`);
    },
  );
  return { rows: [...linkages.values()], report };
}

/** Parses the committees of a `cm` file that belong to these offices by type or linkage. @throws MasterFileError */
export function parseCommittees(
  file: string,
  bytes: Buffer,
  linkages: readonly Linkage[],
  offices: Offices = DEFAULT_OFFICES,
): ParsedMaster<Committee> {
  const linked = new Set(linkages.filter((linkage) => isFor(linkage, offices)).map(({ CMTE_ID }) => CMTE_ID));
  const committees = new Map<string, Committee>();
  const report = readMaster(file, bytes, COMMITTEE_COLUMNS, (row) => {
    if (!COMMITTEE_ID.test(row.CMTE_ID)) return 'bad_committee_id';
    if (!offices.some((office) => office === row.CMTE_TP) && !linked.has(row.CMTE_ID)) return 'passed';
    return kept(committees, row.CMTE_ID, row, lastWins);
  });
  return { rows: [...committees.values()], report };
}

const isFor = ({ CAND_ID }: Pick<Linkage, 'CAND_ID'>, offices: Offices): boolean =>
  offices.some((office) => (office === 'P' ? PRESIDENTIAL_ID.test(CAND_ID) : CAND_ID.startsWith(office)));

function kept<Row>(rows: Map<string, Row>, key: string, row: Row, better: (a: Row, b: Row) => Row) {
  const other = rows.get(key);
  rows.set(key, other === undefined ? row : better(other, row));
  return other === undefined ? ('kept' as const) : ('duplicate' as const);
}

const lastWins = <Row>(_earlier: Row, later: Row): Row => later;

/** Chooses between two linkages of one candidate and committee. */
function nearerLinkage(a: Linkage, b: Linkage, cycle: number): Linkage {
  const [years, others] = [yearsAfter(a, cycle), yearsAfter(b, cycle)];
  if (years !== others) return years < others ? a : b;
  return Number(a.LINKAGE_ID) >= Number(b.LINKAGE_ID) ? a : b;
}

/** Sort key, years from the cycle to the election. Elections before the cycle sort last, the latest of them first. */
function yearsAfter({ CAND_ELECTION_YR }: Linkage, cycle: number): number {
  const year = Number(CAND_ELECTION_YR);
  if (!/^\d{4}$/.test(CAND_ELECTION_YR)) return Infinity;
  return year >= cycle ? year - cycle : 10_000 + cycle - year;
}
