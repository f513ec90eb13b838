import { type MastersRepository } from '@donorlens/campaign-finance';
import { type ChartRepository, type ChartsVersion } from '@donorlens/charts';
import { insertLargest } from './donor-series';

/** A candidate who has charts. */
export interface IndexEntry {
  readonly cycle: number;
  readonly candidateId: string;
  readonly name: string;
  readonly donors: number;
  readonly committees: readonly { readonly id: string; readonly name: string }[];
}

/** Ids of loaded data for the examples of the about page. */
export interface ExampleIds {
  readonly cycle: number;
  readonly candidateId: string;
  readonly committeeId: string | null;
  readonly namePart: string;
}

type CandidateDonors = Pick<IndexEntry, 'cycle' | 'candidateId' | 'donors'>;

const MAX_CYCLES = 4;
const MAX_CANDIDATES = 5;

/**
 * Candidates with the most donors in some cycles, and their principal committees; most donors first.
 * @param loaded - cycles in descending order of interest; the first of them are taken
 */
export async function chartIndex(
  charts: ChartRepository,
  masters: MastersRepository,
  version: ChartsVersion,
  loaded: readonly number[],
): Promise<IndexEntry[]> {
  const cycles = loaded.slice(0, MAX_CYCLES);
  if (cycles.length === 0) return [];
  const donors = new Map<string, CandidateDonors>();
  for (const row of await charts.breakdown(version, { cycles, by: ['gender'] })) {
    const key = `${row.cycle} ${row.candidateId}`;
    const before = donors.get(key)?.donors ?? 0;
    donors.set(key, { cycle: row.cycle, candidateId: row.candidateId, donors: before + row.donors });
  }
  const largest = cycles.flatMap((cycle) => {
    const most: CandidateDonors[] = [];
    for (const one of donors.values())
      if (one.cycle === cycle) insertLargest(most, one, MAX_CANDIDATES, (entry) => entry.donors);
    return most;
  });
  return named(masters, largest);
}

async function named(masters: MastersRepository, entries: readonly CandidateDonors[]): Promise<IndexEntry[]> {
  const ids = [...new Set(entries.map(({ candidateId }) => candidateId))];
  const links = (await masters.linksOf(ids)).filter(({ isPrincipal }) => isPrincipal);
  const names = await masters.namesOf([...ids, ...links.map(({ committeeId }) => committeeId)]);
  const nameOf = (id: string): string => names.get(id) ?? id;
  return entries.map((entry) => ({
    ...entry,
    name: nameOf(entry.candidateId),
    committees: links
      .filter(({ cycle, candidateId }) => cycle === entry.cycle && candidateId === entry.candidateId)
      .map(({ committeeId: id }) => ({ id, name: nameOf(id) })),
  }));
}

/**
 * A candidate with many donors in the newest of these cycles that has candidates, and one of its committees. If none of the
 * cycles has candidates, the first candidate of the newest loaded cycle. The examples of the about page thus have results.
 */
export async function exampleIds(
  charts: ChartRepository,
  masters: MastersRepository,
  version: ChartsVersion | null,
  cycles: readonly number[],
): Promise<ExampleIds | null> {
  for (const cycle of [...cycles].sort((a, b) => b - a)) {
    const candidates = await masters.candidateSearch({ nameParts: [], cycles: [cycle] });
    if (candidates.length === 0) continue;
    const names = new Map(candidates.map(({ CAND_ID, CAND_NAME }) => [CAND_ID, CAND_NAME]));
    const rows = version === null ? [] : await charts.breakdown(version, { cycles: [cycle], by: ['gender'] });
    const known = [...rows].filter((row) => names.has(row.candidateId));
    const candidateId = largestOf(known, (row) => row.candidateId) ?? candidates[0].CAND_ID;
    const committeeId = await committeeOf(charts, masters, version, cycle, candidateId);
    const namePart = (names.get(candidateId) ?? '').split(',')[0].trim().toLowerCase();
    return { cycle, candidateId, committeeId, namePart };
  }
  const newest = (await masters.candidateSearch({ nameParts: [], cycles: [] })).at(-1)?.cycle;
  return newest === undefined || cycles.includes(newest) ? null : exampleIds(charts, masters, version, [newest]);
}

async function committeeOf(
  charts: ChartRepository,
  masters: MastersRepository,
  version: ChartsVersion | null,
  cycle: number,
  candidateId: string,
): Promise<string | null> {
  const rows = await masters.committeeSearch({ nameParts: [], cycles: [cycle] });
  const own = rows.filter(({ CAND_ID }) => CAND_ID === candidateId);
  if (own.length === 0) return null;
  const committeeIds = own.map(({ CMTE_ID }) => CMTE_ID);
  const ages = version === null ? [] : await charts.ageDistribution(version, { committeeIds, cycles: [cycle] });
  const principal = own.find(({ LINKAGE_DSGN }) => LINKAGE_DSGN === 'P') ?? own[0];
  return largestOf([...ages], (row) => row.committeeId) ?? principal.CMTE_ID;
}

/** The id whose rows have the most donors in total. */
function largestOf<Row extends { readonly donors: number }>(
  rows: readonly Row[],
  idOf: (row: Row) => string,
): string | undefined {
  const sums = new Map<string, number>();
  for (const row of rows) sums.set(idOf(row), (sums.get(idOf(row)) ?? 0) + row.donors);
  return [...sums].sort(([, a], [, b]) => b - a)[0]?.[0];
}
