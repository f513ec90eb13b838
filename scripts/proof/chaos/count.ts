import pg from 'pg';
import { type Accepted, type Batch, type Client } from './client';

export interface Count {
  readonly lost: number;
  readonly duplicated: number;
  /** Rows that stand at another place than they were sent. */
  readonly misplaced: number;
  /** Batches that are not completed, or whose outcomes do not add up to their rows. */
  readonly wrongBatches: readonly string[];
}

const OUTCOMES = ['ok', 'partial', 'not_found', 'invalid', 'failed'] as const;

/** What the client gets back, row by row, against what it sent. */
export async function countAtClient(client: Client, accepted: readonly Accepted[]): Promise<Count> {
  let [lost, duplicated, misplaced] = [0, 0, 0];
  const wrongBatches: string[] = [];
  for (const sent of accepted) {
    const batch = await client.batch(sent.id);
    if (!isWhole(batch, sent.rows)) wrongBatches.push(`${sent.id}: ${batch.state} ${JSON.stringify(batch.counts)}`);
    const found = (await client.results(sent.id)).split('\n').slice(1, -1);
    const seen = new Set<string>();
    for (const [at, line] of found.entries()) {
      const id = line.slice(0, line.indexOf(','));
      if (seen.has(id)) duplicated++;
      seen.add(id);
      if (id !== `${sent.tag}-${at + 1}`) misplaced++;
    }
    for (let row = 1; row <= sent.rows; row++) if (!seen.has(`${sent.tag}-${row}`)) lost++;
  }
  return { lost, duplicated, misplaced, wrongBatches };
}

const isWhole = ({ state, counts }: Batch, rows: number): boolean =>
  state === 'completed' &&
  counts.total === rows &&
  counts.done === rows &&
  OUTCOMES.reduce((sum, outcome) => sum + counts[outcome], 0) === rows &&
  counts.failed === 0;

/** What the database says of itself. */
export async function countInDatabase(url: string): Promise<{ chunks: number; repeated: number; open: number }> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<{ chunks: number; repeated: number; open: number }>(
      `select count(*)::int as chunks, coalesce(sum(greatest(runs - 1, 0)), 0)::int as repeated,
              (select count(*)::int from batch where state not in ('completed', 'failed', 'cancelled')) as open
       from chunk join batch on batch.id = chunk.batch_id`,
    );
    return rows[0];
  } finally {
    await client.end();
  }
}
