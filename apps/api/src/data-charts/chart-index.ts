import { type MastersRepository } from '@donorlens/campaign-finance';
import { type ChartReader, type ChartsVersion } from '@donorlens/charts';
import { keepLargest } from './donor-lines';

/** A candidate of whom there are charts. */
export interface IndexEntry {
  readonly cycle: number;
  readonly candidateId: string;
  readonly name: string;
  readonly donors: number;
  readonly committees: readonly { readonly id: string; readonly name: string }[];
}

type Counted = Pick<IndexEntry, 'cycle' | 'candidateId' | 'donors'>;

const MOST_CYCLES = 4;
const MOST_CANDIDATES = 5;
/** Where a cell stands in a line of breakdown/candidate. */
const CYCLE = 0;
const CAND_ID = 1;
const DONORS = 4;

/**
 * Candidates with the most donors in some cycles, and their principal committees: most donors first.
 * @param loaded cycles in the order in which they matter; the first of them are taken
 */
export async function chartIndex(
  reader: ChartReader,
  masters: MastersRepository,
  version: ChartsVersion,
  loaded: readonly number[],
): Promise<IndexEntry[]> {
  const cycles = loaded.slice(0, MOST_CYCLES);
  if (cycles.length === 0) return [];
  const donors = new Map<string, number>();
  for (const row of await reader.breakdown(version, { cycles, by: ['gender'] })) {
    const key = `${row[CYCLE]} ${row[CAND_ID]}`;
    donors.set(key, (donors.get(key) ?? 0) + Number(row[DONORS]));
  }
  const largest = cycles.flatMap((cycle) => {
    const most: Counted[] = [];
    for (const [key, people] of donors) {
      const [of, candidateId] = key.split(' ');
      if (Number(of) === cycle)
        keepLargest(most, { cycle, candidateId, donors: people }, MOST_CANDIDATES, (one) => one.donors);
    }
    return most;
  });
  return named(masters, largest);
}

async function named(masters: MastersRepository, entries: readonly Counted[]): Promise<IndexEntry[]> {
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
