import { KEY, until } from '../../../test/support/installation';
import { summaryFaults } from '../../../test/support/pipeline/summary-faults';
import { type Stage } from '../scenario';
import { type Accepted, type Batch, type BatchClient } from './batch-client';

/** What clients read back, row by row, compared with what they sent. */
export interface RowCounts {
  readonly lost: number;
  /** Number of expired batches. */
  readonly erased: number;
  readonly duplicated: number;
  /** Rows at a position other than the one at which they were sent. */
  readonly misordered: number;
  /** Batches that are not completed, whose outcomes do not add up to their rows, or whose summary is wrong. */
  readonly incomplete: readonly string[];
}

export interface Verification extends RowCounts {
  readonly chunks: number;
  readonly repeatedChunks: number;
  /** Batches whose counters disagree with their chunks, as the api reports them. */
  readonly violations: number;
}

const OUTCOMES = ['ok', 'partial', 'not_found', 'invalid', 'failed'] as const;
const VIOLATIONS_MS = 120_000;

export async function countRows(client: BatchClient, accepted: readonly Accepted[]): Promise<RowCounts> {
  let [lost, duplicated, misordered, erased] = [0, 0, 0, 0];
  const incomplete: string[] = [];
  for (const sent of accepted) {
    const batch = await client.batch(sent.id);
    if (!isComplete(batch, sent.rows)) incomplete.push(`${sent.id}: ${batch.state} ${JSON.stringify(batch.counts)}`);
    const seen = new Set<string>();
    const isErased = batch.state === 'expired';
    const csv = isErased ? '' : await client.results(sent.id);
    if (isErased) erased++;
    else incomplete.push(...summaryFaults(batch, await client.json(`/enrich/v1/batches/${sent.id}/summary`), csv));
    for (const [at, line] of csv.split('\n').slice(1, -1).entries()) {
      const id = line.slice(0, line.indexOf(','));
      if (seen.has(id)) duplicated++;
      seen.add(id);
      if (id !== `${sent.tag}-${at + 1}`) misordered++;
    }
    for (let row = 1; row <= sent.rows; row++) if (!seen.has(`${sent.tag}-${row}`)) lost++;
  }
  return { lost, erased, duplicated, misordered, incomplete };
}

export const sumOfOutcomes = (counts: Readonly<Record<string, number>>): number =>
  OUTCOMES.reduce((sum, outcome) => sum + counts[outcome], 0);

const isComplete = ({ state, counts }: Batch, rows: number): boolean =>
  state === 'completed' &&
  counts.total === rows &&
  counts.done === rows &&
  sumOfOutcomes(counts) === rows &&
  counts.failed === 0;

/** Waits until all batches have ended, and verifies them. */
export async function verify(
  { client, installation, pool }: Stage,
  accepted: readonly Accepted[],
  withinMs: number,
): Promise<Verification> {
  await client.allEnded(accepted, withinMs);
  const counts = await countRows(client, accepted);
  const { rows } = await pool.query<{ chunks: number; repeated: number }>(
    'select count(*)::int as chunks, coalesce(sum(greatest(runs - 1, 0)), 0)::int as repeated from chunk',
  );
  return {
    ...counts,
    chunks: rows[0].chunks,
    repeatedChunks: rows[0].repeated,
    violations: await violationsAt(installation.apiUrls[0]),
  };
}

/** Waits until the api has compared counters with chunks. */
async function violationsAt(api: string): Promise<number> {
  const find = async (): Promise<RegExpExecArray | null> => {
    const response = await fetch(`${api}/metrics`, { headers: { authorization: `Bearer ${KEY}` } });
    return /^donorlens_invariant_violations(?:\{[^}]*\})? (\d+)/m.exec(await response.text());
  };
  return Number((await until('counters are compared with chunks', find, VIOLATIONS_MS))[1]);
}

export const areIntact = ({ lost, duplicated, misordered, incomplete }: RowCounts): boolean =>
  lost + duplicated + misordered + incomplete.length === 0;

export const describeRows = ({ lost, duplicated, misordered, incomplete }: RowCounts): string =>
  `${lost} rows lost, ${duplicated} duplicated, ${misordered} out of order, ${incomplete.length} batches incomplete`;

/** Columns that every scenario with batches has. */
export const VERIFICATION_COLUMNS = {
  lost: ({ found }: Verified) => found.lost,
  'erased early': ({ found }: Verified) => found.erased,
  duplicated: ({ found }: Verified) => found.duplicated,
  'out of order': ({ found }: Verified) => found.misordered,
  'incomplete batches': ({ found }: Verified) => found.incomplete.length,
  violations: ({ found }: Verified) => found.violations,
  'chunk attempts repeated': ({ found }: Verified) => `${((100 * found.repeatedChunks) / found.chunks).toFixed(1)} %`,
} as const;

export interface Verified {
  readonly found: Verification;
}

/** Checks of every scenario with batches. */
export const VERIFICATION_CHECKS = {
  'every accepted row is there once and in order': ({ found }: Verified) => areIntact(found),
  'counters agree with chunks': ({ found }: Verified) => found.violations === 0,
} as const;
