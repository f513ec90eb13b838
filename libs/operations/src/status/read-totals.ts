import { type Pool } from 'pg';
import { type QueueName } from '@donorlens/queues';
import { WORK_KINDS } from '../beats/work-kinds';
import { type QueueStatus } from './operations-status';

interface WorkTotal {
  readonly kind: string;
  readonly label: string;
  readonly value: number;
}

/** What workers counted since the service was set up. */
export async function readTotals(pool: Pool): Promise<readonly WorkTotal[]> {
  return (await pool.query<WorkTotal>('select kind, label, value::float8 from work_total')).rows;
}

export const jobsOf = (totals: readonly WorkTotal[], queue: QueueName): QueueStatus['ended'] => ({
  done: 0,
  failed: 0,
  ...labelsOf(totals, WORK_KINDS[queue].jobs),
});

/** Of what is in the jobs of a queue: rows, or addresses. */
export const outcomesOf = (totals: readonly WorkTotal[], queue: QueueName): Readonly<Record<string, number>> =>
  labelsOf(totals, WORK_KINDS[queue].items);

const labelsOf = (totals: readonly WorkTotal[], wanted: string): Record<string, number> =>
  Object.fromEntries(totals.filter(({ kind }) => kind === wanted).map(({ label, value }) => [label, value]));
