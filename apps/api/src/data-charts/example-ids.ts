import { type MastersRepository } from '@donorlens/campaign-finance';
import { type ChartReader, type ChartsVersion } from '@donorlens/charts';
import { type ExampleIds } from './about-facts';

/** Where a cell stands in a line of candidate/search, committee/candidate/search and the two charts. */
const CYCLE = 0;
const CAND_ID = 1;
const CAND_NAME = 2;
const LINKAGE_DSGN = 5;
const CMTE_ID = 7;
const BREAKDOWN_DONORS = 4;
const AGE_DONORS = 3;

/**
 * A candidate with many donors in the newest of these cycles that has candidates, and a committee of theirs; where none of
 * them has any, the first candidate of the newest cycle. Examples of the about page give lines, whatever is loaded.
 */
export async function exampleIds(
  reader: ChartReader,
  masters: MastersRepository,
  version: ChartsVersion | null,
  cycles: readonly number[],
): Promise<ExampleIds | null> {
  for (const cycle of [...cycles].sort((a, b) => b - a)) {
    const candidates = await masters.candidateSearch({ nameParts: [], cycles: [cycle] });
    if (candidates.length === 0) continue;
    const known = new Set(candidates.map((row) => row[CAND_ID]));
    const asked = { cycles: [cycle], by: ['gender'] as const };
    const rows = version === null ? [] : await reader.breakdown(version, asked);
    const candidateId =
      mostOf(
        [...rows].filter((row) => known.has(String(row[1]))),
        BREAKDOWN_DONORS,
      ) ?? candidates[0][CAND_ID];
    const name = candidates.find((row) => row[CAND_ID] === candidateId)?.[CAND_NAME] ?? '';
    const committeeId = await committeeOf(reader, masters, version, cycle, candidateId);
    return { cycle, candidateId, committeeId, namePart: name.split(',')[0].trim().toLowerCase() };
  }
  const newest = Number((await masters.candidateSearch({ nameParts: [], cycles: [] })).at(-1)?.[CYCLE] ?? NaN);
  return Number.isNaN(newest) || cycles.includes(newest) ? null : exampleIds(reader, masters, version, [newest]);
}

async function committeeOf(
  reader: ChartReader,
  masters: MastersRepository,
  version: ChartsVersion | null,
  cycle: number,
  candidateId: string,
): Promise<string | null> {
  const rows = await masters.committeeSearch({ nameParts: [], cycles: [cycle] });
  const own = rows.filter((row) => row[CAND_ID] === candidateId);
  if (own.length === 0) return null;
  const committeeIds = own.map((row) => row[CMTE_ID]);
  const ages = version === null ? [] : await reader.ageDistribution(version, { committeeIds, cycles: [cycle] });
  return mostOf([...ages], AGE_DONORS) ?? (own.find((row) => row[LINKAGE_DSGN] === 'P') ?? own[0])[CMTE_ID];
}

/** The id in the second cell whose lines add up to the most. */
function mostOf(rows: readonly (readonly (string | number)[])[], cell: number): string | undefined {
  const sums = new Map<string, number>();
  for (const row of rows) sums.set(String(row[1]), (sums.get(String(row[1])) ?? 0) + Number(row[cell]));
  return [...sums].sort(([, a], [, b]) => b - a)[0]?.[0];
}
